/** The stdin of a process: of whatever kind, piece by piece, no faster than the process reads. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type ClientError, clientError } from "./ClientError.ts"
import * as Content from "./Content.ts"
import { type Step, stepped } from "./EventFeed.ts"
import { invalid } from "./OptionNames.ts"
import type { RemoteFiles } from "./RemoteFiles.ts"

/** A file on the server's host: a native path, or a `file:` URI. */
export interface InputFile {
  /** Its path. */
  readonly file: string
}

/** A `Blob`: also a file that a user has picked in a browser, `Bun.file(…)`, and what `openAsBlob` of Node makes. */
export interface InputBlob {
  /** Its content. */
  stream(): AsyncIterable<Uint8Array> | InputReadable
}

/** A `ReadableStream`, as far as it is used. */
export interface InputReadable {
  /** Locks the stream. */
  getReader(): {
    /** The next piece. */
    read(): Promise<{ readonly done: boolean; readonly value?: string | Uint8Array | undefined }>
    /** Gives the rest up. */
    cancel(reason?: unknown): Promise<void>
  }
}

/** The input of a process: a string is sent as UTF-8. */
export type Input =
  | string
  | Uint8Array
  | InputReadable
  | InputBlob
  | InputFile
  | AsyncIterable<string | Uint8Array>
  | Iterable<string | Uint8Array>

/** The process that gets the input. */
interface Target {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, ClientError>
  readonly closeStdin: Effect.Effect<void, ClientError>
}

/** The fault of an input; undefined if it has none. */
export const refusal = (input: unknown): ClientError | undefined => {
  if (input === undefined || typeof input === "string") return undefined
  if (typeof input === "object" && input !== null) {
    if (["getReader", "stream", Symbol.asyncIterator, Symbol.iterator].some((key) => key in input))
      return undefined
    if ("file" in input && typeof input.file === "string") return undefined
  }
  return invalid(
    `input is ${typeof input === "object" ? "an object" : String(input)}: expected a string, a Uint8Array, a Blob, a ` +
      'ReadableStream, an iterable of strings or bytes, or { file: "/path/on/the/server" }',
  )
}

/** True for what can be read more than once. */
export const isRepeatable = (input: Input | undefined): boolean =>
  input === undefined ||
  typeof input === "string" ||
  input instanceof Uint8Array ||
  Array.isArray(input) ||
  "file" in input ||
  "stream" in input

/**
 * Writes input to stdin, and closes it. A process that does not read it, or has exited, ends the input: that is no
 * failure. Fails with `InputFailed` where the input itself does.
 */
export const feed = (
  input: Stream.Stream<string | Uint8Array, ClientError>,
  to: Target,
): Effect.Effect<void, ClientError> =>
  Effect.suspend(() => {
    let count = 0
    const taken = (piece: Piece) => {
      count += 1
      const written = Effect.mapError(to.write(Content.toBytes(piece)), () => full as typeof full)
      return count % piecesOfOneTurn === 0 ? Effect.delay(written, 0) : written
    }
    return Stream.runForEach(input, taken).pipe(
      Effect.catchIf(isFull, () => Effect.void),
      Effect.andThen(Effect.ignore(to.closeStdin)),
    )
  })

/** The process takes no more. */
const full = "full"
const isFull = (error: ClientError | typeof full): error is typeof full => error === full

/**
 * After so many pieces the event loop gets a turn. A server in this program, and input that is always there, would not
 * let it see the end of the process otherwise; and until then the process takes, and drops, what it does not read.
 */
const piecesOfOneTurn = 64

/** The pieces of an input. */
export const pieces = (input: Input, fs: RemoteFiles): Stream.Stream<string | Uint8Array, ClientError> => {
  if (typeof input === "string" || input instanceof Uint8Array) return Stream.succeed(input)
  if ("file" in input && typeof input.file === "string") return fs.readStream(input.file)
  return iterated(input as Exclude<typeof input, InputFile>)
}

const iterated = (input: InputReadable | InputBlob | AsyncIterable<Piece> | Iterable<Piece>) =>
  Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.try({ try: () => iterator(input), catch: failure }),
        // It may never end: this does not wait for it.
        ({ end }) => Effect.sync(() => void Promise.resolve(end()).catch(() => {})),
      ),
      ({ next }) => stepped(async () => checked(await next()), failure),
    ),
  )

type Piece = string | Uint8Array

interface Pulled {
  readonly next: () => Promise<Step<unknown>> | Step<unknown>
  readonly end: () => unknown
}

const iterator = (input: InputReadable | InputBlob | AsyncIterable<Piece> | Iterable<Piece>): Pulled => {
  const source = "stream" in input && typeof input.stream === "function" ? input.stream() : input
  if ("getReader" in source) {
    const reader = source.getReader()
    return { next: () => reader.read(), end: () => reader.cancel() }
  }
  const iterating =
    Symbol.asyncIterator in source
      ? source[Symbol.asyncIterator]()
      : (source as Iterable<Piece>)[Symbol.iterator]()
  return { next: () => iterating.next(), end: () => iterating.return?.() }
}

const checked = ({ done, value }: Step<unknown>): Step<Piece> => {
  if (done === true) return { done }
  if (typeof value === "string" || value instanceof Uint8Array) return { value }
  throw new TypeError(`a piece of the input is a ${typeof value}: expected a string or a Uint8Array`)
}

/** The error of an input that has failed. */
export const failure = (cause: unknown): ClientError =>
  clientError(
    "InputFailed",
    `the input has failed, and the process was terminated: ${cause instanceof Error ? cause.message : String(cause)}`,
    { cause },
  )
