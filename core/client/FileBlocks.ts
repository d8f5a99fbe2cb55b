/**
 * Open files of the server, read and written in blocks of up to 1 MiB.
 *
 * They end with the connection that they were opened on: after it was replaced, every operation on them fails with
 * `Disconnected`.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { concat } from "../protocol/Bytes.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import { maxBlockBytes } from "../features/fs/FileBounds.ts"
import type { OpenMode, ReadBlockResult } from "../features/fs/wire.ts"
import type { Call, Tell } from "./Calls.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import { Growing } from "./CollectedOutput.ts"
import * as Content from "./Content.ts"

/** An open file. Offsets and lengths are bytes. */
export interface RemoteFile {
  /** Reads up to `length` bytes (1 MiB at most, and by default) at `offset`; `eof` if fewer than `length` came. */
  readonly read: (offset: number, length?: number) => Effect.Effect<ReadBlockResult, ClientError>
  /** Writes any number of bytes at `offset`. */
  readonly write: (offset: number, bytes: Uint8Array) => Effect.Effect<void, ClientError>
}

/** `tell` sends a request whose answer does not matter, on the connection that is there. */
export const make = (call: Call, tell: Tell) => {
  let opened = 0

  /** Opens a file, which the end of the scope closes. */
  const open = (uri: string, mode: OpenMode): Effect.Effect<RemoteFile, ClientError, Scope.Scope> =>
    Effect.gen(function* () {
      const handleId = `file-${(opened += 1)}`
      yield* Effect.uninterruptibleMask((restore) =>
        restore(call("fs/open", { handleId, path: uri, mode })).pipe(
          // The server has been asked, and opens the file before it closes it.
          Effect.onInterrupt(() => Effect.sync(() => tell("fs/close", { handleId }))),
          Effect.andThen(Effect.addFinalizer(() => Effect.ignore(call("fs/close", { handleId })))),
        ),
      )
      return toFile(call, uri, handleId)
    })

  /** The content of a file in blocks. */
  const read = (uri: string): Stream.Stream<Uint8Array, ClientError> =>
    Stream.unwrap(Effect.map(open(uri, "read"), toBlocks))

  return {
    open,
    read,
    /** The whole content of a file of about that size. */
    readAll: (uri: string, size: number): Effect.Effect<Uint8Array, ClientError> =>
      Effect.suspend(() => {
        const whole = new Growing(size)
        const append = (block: Uint8Array) => Effect.sync(() => whole.append(block))
        return Effect.map(Stream.runForEach(read(uri), append), () => whole.bytes)
      }),
    /** Creates a file or replaces its content. */
    write: <E>(
      uri: string,
      pieces: Stream.Stream<string | Uint8Array, E>,
    ): Effect.Effect<void, ClientError | E> =>
      Effect.scoped(Effect.flatMap(open(uri, "replace"), (file) => writePieces(file, pieces))),
  }
}

/** Blocks that are on their way at the same time, so that a distant server is not waited for after each of them. */
const inFlight = 4

const toFile = (call: Call, uri: string, handleId: string): RemoteFile => {
  const toDisconnected = Effect.mapError((error: ClientError) =>
    error.code === ErrorCode.notFound ? ended(uri) : error,
  )
  return {
    read: (offset, len = maxBlockBytes) => toDisconnected(call("fs/readBlock", { handleId, offset, len })),
    write: (offset, bytes) =>
      Effect.forEach(
        blocksOf(bytes),
        ([at, block]) =>
          toDisconnected(call("fs/writeBlock", { handleId, offset: offset + at, chunk: block })),
        { discard: true, concurrency: inFlight },
      ),
  }
}

/**
 * The content of an open file in blocks: the first one alone, because most files have only that, then `inFlight` of
 * them at a time.
 */
const toBlocks = (file: RemoteFile): Stream.Stream<Uint8Array, ClientError> =>
  Stream.paginate({ from: 0, count: 1 }, ({ from, count }) => {
    const offsets = Array.from({ length: count }, (_, index) => from + index * maxBlockBytes)
    const read = Effect.forEach(offsets, (offset) => file.read(offset), { concurrency: "unbounded" })
    return Effect.map(read, (blocks) => {
      const last = blocks.findIndex(({ eof }) => eof)
      const chunks = (last === -1 ? blocks : blocks.slice(0, last + 1)).map(({ chunk }) => chunk)
      const next = { from: from + count * maxBlockBytes, count: inFlight }
      return [
        chunks.filter((chunk) => chunk.length > 0),
        last === -1 ? Option.some(next) : Option.none(),
      ] as const
    })
  })

/** Writes pieces of any size one after the other, in blocks. */
const writePieces = <E>(file: RemoteFile, pieces: Stream.Stream<string | Uint8Array, E>) =>
  Effect.suspend(() => {
    let waiting: Array<Uint8Array> = []
    let size = 0
    let offset = 0
    const flush = Effect.suspend(() => {
      const [at, bytes] = [offset, concat(waiting)]
      offset += size
      waiting = []
      size = 0
      return file.write(at, bytes)
    })
    const add = (piece: Content.Content) =>
      Content.use("fs.write", piece, (bytes) => {
        waiting.push(bytes)
        size += bytes.length
        return size >= maxBlockBytes ? flush : Effect.void
      })
    return Effect.andThen(Stream.runForEach(pieces, add), flush)
  })

/** The blocks of `bytes`, each with its position. */
const blocksOf = (bytes: Uint8Array): ReadonlyArray<readonly [at: number, block: Uint8Array]> =>
  Array.from({ length: Math.ceil(bytes.length / maxBlockBytes) }, (_, index) => {
    const at = index * maxBlockBytes
    return [at, bytes.subarray(at, at + maxBlockBytes)]
  })

const ended = (uri: string) =>
  clientError(
    "Disconnected",
    `${uri} is no longer open: open files end with their connection, which was lost`,
  )
