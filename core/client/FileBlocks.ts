/**
 * Open files of the server, read and written in blocks of up to 1 MiB.
 *
 * They end with the connection that they were opened on: after it was replaced, every operation on them fails with
 * `Disconnected`.
 */
import * as Effect from "effect/Effect"
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

/** Waits for the next blocks of a file; undefined after the last. */
export type Blocks = Effect.Effect<ReadonlyArray<Uint8Array> | undefined, ClientError>

export interface FileBlocks {
  /** Opens a file, which the end of the scope closes. */
  readonly open: (uri: string, mode: OpenMode) => Effect.Effect<RemoteFile, ClientError, Scope.Scope>
  /** Opens a file to read all of it, likewise. */
  readonly read: (uri: string) => Effect.Effect<Blocks, ClientError, Scope.Scope>
  /** The whole content of a file of about that size. */
  readonly readAll: (uri: string, size: number) => Effect.Effect<Uint8Array, ClientError>
  /** Creates a file or replaces its content. */
  readonly write: <E>(
    uri: string,
    pieces: Stream.Stream<string | Uint8Array, E>,
  ) => Effect.Effect<void, ClientError | E>
}

/** `tell` sends a request whose answer does not matter, on the connection that is there. */
export const make = (call: Call, tell: Tell): FileBlocks => {
  let opened = 0

  const open: FileBlocks["open"] = (uri, mode) =>
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

  const read: FileBlocks["read"] = (uri) => Effect.map(open(uri, "read"), toBlocks)

  return {
    open,
    read,
    readAll: (uri, size) => Effect.scoped(Effect.flatMap(read(uri), (blocks) => joined(blocks, size))),
    write: (uri, pieces) =>
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
const toBlocks = (file: RemoteFile): Blocks => {
  let from = 0
  let count = 1
  return Effect.suspend(() => {
    if (count === 0) return Effect.succeed(undefined)
    const offsets = Array.from({ length: count }, (_, index) => from + index * maxBlockBytes)
    const read = Effect.forEach(offsets, (offset) => file.read(offset), { concurrency: "unbounded" })
    return Effect.map(read, (blocks) => {
      const last = blocks.findIndex(({ eof }) => eof)
      from += count * maxBlockBytes
      count = last === -1 ? inFlight : 0
      const chunks = (last === -1 ? blocks : blocks.slice(0, last + 1)).map(({ chunk }) => chunk)
      return chunks.filter((chunk) => chunk.length > 0)
    })
  })
}

/** All blocks in one array, which is made with `size` bytes and grows if there are more. */
const joined = (next: Blocks, size: number) =>
  Effect.gen(function* () {
    const whole = new Growing(size)
    for (let blocks = yield* next; blocks !== undefined; blocks = yield* next)
      for (const block of blocks) whole.append(block)
    return whole.bytes
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
