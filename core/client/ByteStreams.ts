/**
 * stdin, stdout and stderr of a process as streams of the web, with back-pressure.
 *
 * stdout and stderr share one subscription, so that they may be read one after the other: output of the one while only
 * the other is read waits here, up to 64 KiB as in a pipe of the kernel. Beyond that the process waits, if the stream
 * has a reader; output of one without a reader is dropped, and a later reader begins anew, from what the client has
 * kept and the server still has.
 */
import * as Effect from "effect/Effect"
import { concat } from "../protocol/Bytes.ts"
import type { ClientError } from "./ClientError.ts"
import * as Content from "./Content.ts"
import { type Subscription, toError } from "./EventFeed.ts"
import { promise } from "./Promises.ts"
import type { RemoteProcess } from "./RemoteProcess.ts"

/** The streams of a process; that of a terminal is stdout. */
export interface ByteStreams {
  readonly stdin: WritableStream
  readonly stdout: ReadableStream
  readonly stderr: ReadableStream
}

type Name = "stdout" | "stderr"

type Source = Pick<RemoteProcess, "subscribe" | "write" | "closeStdin">

/** The most bytes that wait for a reader of one stream. */
const mostWaiting = 64 * 1024

/** The streams of a process, each made when it is first asked for. */
export const make = (process: Source): ByteStreams => {
  const made: {
    stdin?: WritableStream
    stdout?: ReadableStream
    stderr?: ReadableStream
  } = {}
  let shared: Splitter | undefined
  const read = (name: Name) => {
    if (shared === undefined || shared.dropped(name)) shared = new Splitter(process)
    return shared.stream(name)
  }
  return {
    get stdin() {
      return (made.stdin ??= writable({
        write: (bytes) => promise(Content.use("stdin", bytes, process.write)),
        close: () => promise(process.closeStdin),
        abort: () => promise(Effect.ignore(process.closeStdin)),
      }))
    },
    get stdout() {
      return (made.stdout ??= read("stdout"))
    },
    get stderr() {
      return (made.stderr ??= read("stderr"))
    },
  }
}

interface Waiting {
  readonly pieces: Array<Uint8Array>
  bytes: number
  /** `free`: it has no reader. `over`: it takes nothing any more. */
  state: "free" | "read" | "over"
}

/** Gives the bytes of one subscription to two readers. */
class Splitter {
  private readonly queues: Record<Name, Waiting> = {
    stdout: { pieces: [], bytes: 0, state: "free" },
    stderr: { pieces: [], bytes: 0, state: "free" },
  }
  private subscription: Promise<Subscription> | undefined
  /** The batch that is being taken, for both readers. */
  private batch: Promise<void> | undefined
  private ended = false
  private failure: ClientError | undefined
  /** Wakes a reader that waits for the other one. */
  private wake: () => void = () => {}

  private readonly process: Pick<Source, "subscribe">

  constructor(process: Pick<Source, "subscribe">) {
    this.process = process
  }

  /** True if that stream is not to be had from its begin any more. */
  dropped(name: Name): boolean {
    return this.queues[name].state !== "free"
  }

  stream(name: Name): ReadableStream {
    this.queues[name].state = "read"
    // From now on nothing that comes is missed.
    this.subscription ??= promise(this.process.subscribe)
    return readable({
      pull: async (controller) => {
        const piece = await this.next(name)
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
      },
      cancel: () => this.leave(name),
    })
  }

  /** The next piece; undefined at the end. Throws where the events end in `failed`. */
  private async next(name: Name): Promise<Uint8Array | undefined> {
    const mine = this.queues[name]
    const other = this.queues[name === "stdout" ? "stderr" : "stdout"]
    for (;;) {
      if (mine.bytes > 0) {
        const bytes = concat(mine.pieces)
        empty(mine)
        this.wake()
        return bytes
      }
      if (this.failure !== undefined) throw this.failure
      if (this.ended) return undefined
      if (other.state === "read" && other.bytes > mostWaiting) {
        await new Promise<void>((resolve) => (this.wake = resolve))
      } else {
        await (this.batch ??= this.take().finally(() => (this.batch = undefined)))
      }
    }
  }

  /** Takes what comes next, for both. */
  private async take(): Promise<void> {
    const { next } = await (this.subscription as Promise<Subscription>)
    const batch = await promise(next)
    if (batch === undefined) this.ended = true
    for (const event of batch ?? []) {
      if (event.kind === "failed") this.failure = toError(event)
      if (event.kind !== "output") continue
      const queue = this.queues[event.stream === "stderr" ? "stderr" : "stdout"]
      if (queue.state === "over") continue
      queue.pieces.push(event.bytes)
      queue.bytes += event.bytes.length
      if (queue.state === "free" && queue.bytes > mostWaiting) drop(queue)
    }
  }

  private leave(name: Name): void {
    drop(this.queues[name])
    this.wake()
    const isRead = Object.values(this.queues).some(({ state }) => state === "read")
    if (!isRead) void this.subscription?.then(({ close }) => close())
  }
}

const drop = (queue: Waiting): void => {
  queue.state = "over"
  empty(queue)
}

const empty = (queue: Waiting): void => {
  queue.pieces.length = 0
  queue.bytes = 0
}

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

/** A stream that asks `source` for a piece only when it is read. */
const readable = (source: ReadableSource): ReadableStream =>
  iterable(new globals.ReadableStream(source, { highWaterMark: 0 }))

/** A stream that gives `sink` one piece at a time. */
const writable = (sink: WritableSink): WritableStream => new globals.WritableStream(sink)

/** Browsers without the async iterator of streams get one. */
const iterable = (stream: ReadableStream): ReadableStream => {
  if (Symbol.asyncIterator in stream) return stream
  return Object.assign(stream as object, { [Symbol.asyncIterator]: () => piecesOf(stream) }) as never
}

async function* piecesOf(stream: ReadableBytes): AsyncGenerator<Uint8Array, void, void> {
  const reader = stream.getReader()
  try {
    for (let step = await reader.read(); step.done === false; step = await reader.read()) yield step.value
  } finally {
    await reader.cancel()
    reader.releaseLock()
  }
}
