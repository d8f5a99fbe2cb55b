/**
 * The streams of the web, as the program that uses them knows them.
 *
 * Core is compiled without the types of a browser or a runtime. So these are the global `ReadableStream` and
 * `WritableStream` of the program that imports them, with bytes as their pieces, and where it has none, only what is
 * here.
 */

/** Reads a stream of bytes piece by piece. */
export interface ByteReader {
  /** The next piece. */
  read(): Promise<
    { readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value?: undefined }
  >
  /** Gives the rest up. */
  cancel(reason?: unknown): Promise<void>
  /** Lets another reader go on. */
  releaseLock(): void
  /** Resolves at the end. */
  readonly closed: Promise<undefined>
}

/** Writes a stream of bytes piece by piece. */
export interface ByteWriter {
  /** Resolves when the piece is written. */
  write(bytes: Uint8Array): Promise<void>
  /** Ends the stream behind what was written. */
  close(): Promise<void>
  /** Gives the stream up. */
  abort(reason?: unknown): Promise<void>
  /** Lets another writer go on. */
  releaseLock(): void
  /** Resolves when there is room. */
  readonly ready: Promise<undefined>
  /** Resolves at the end. */
  readonly closed: Promise<undefined>
}

/** The global `ReadableStreamDefaultReader<Uint8Array>`. */
export type StreamReader = typeof globalThis extends {
  ReadableStreamDefaultReader: { prototype: infer Known }
}
  ? ByteReader & Known
  : ByteReader

/** The global `WritableStreamDefaultWriter<Uint8Array>`. */
export type StreamWriter = typeof globalThis extends {
  WritableStreamDefaultWriter: { prototype: infer Known }
}
  ? ByteWriter & Known
  : ByteWriter

/** The members of every `ReadableStream` of bytes. */
export interface ReadableBytes extends AsyncIterable<Uint8Array> {
  /** True while somebody reads it. */
  readonly locked: boolean
  /** Gives the rest up. */
  cancel(reason?: unknown): Promise<void>
  /** Locks the stream. */
  getReader(): StreamReader
}

/** The members of every `WritableStream` of bytes. */
export interface WritableBytes {
  /** True while somebody writes to it. */
  readonly locked: boolean
  /** Gives the stream up. */
  abort(reason?: unknown): Promise<void>
  /** Ends the stream. */
  close(): Promise<void>
  /** Locks the stream. */
  getWriter(): StreamWriter
}

/** The global `ReadableStream<Uint8Array>`; `for await` reads it as well. */
export type ReadableStream = typeof globalThis extends { ReadableStream: { prototype: infer Known } }
  ? ReadableBytes & Known
  : ReadableBytes

/** The global `WritableStream<Uint8Array>`. */
export type WritableStream = typeof globalThis extends { WritableStream: { prototype: infer Known } }
  ? WritableBytes & Known
  : WritableBytes

interface ReadableSource {
  pull(controller: { enqueue(bytes: Uint8Array): void; close(): void }): Promise<void>
  cancel(): void
}

interface WritableSink {
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
  abort(): Promise<void>
}

const globals = globalThis as unknown as {
  readonly ReadableStream: new (source: ReadableSource, strategy: { highWaterMark: number }) => ReadableStream
  readonly WritableStream: new (sink: WritableSink) => WritableStream
}

/**
 * A stream that asks `source` for a piece only when it is read.
 * @internal
 */
export const readable = (source: ReadableSource): ReadableStream =>
  iterable(new globals.ReadableStream(source, { highWaterMark: 0 }))

/**
 * A stream that gives `sink` one piece at a time.
 * @internal
 */
export const writable = (sink: WritableSink): WritableStream => new globals.WritableStream(sink)

/** Browsers without the async iterator of streams get one. */
const iterable = (stream: ReadableStream): ReadableStream => {
  if (Symbol.asyncIterator in stream) return stream
  return Object.assign(stream as object, { [Symbol.asyncIterator]: () => pieces(stream) }) as never
}

async function* pieces(stream: ReadableBytes): AsyncGenerator<Uint8Array, void, void> {
  const reader = stream.getReader()
  try {
    for (let step = await reader.read(); step.done === false; step = await reader.read()) yield step.value
  } finally {
    await reader.cancel()
    reader.releaseLock()
  }
}
