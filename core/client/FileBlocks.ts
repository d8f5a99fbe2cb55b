/**
 * Open files of the server, read and written in blocks.
 *
 * They end with the connection that they were opened on: after it was replaced, whatever is asked of them fails with
 * `Disconnected`.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { concat, toBase64, utf8 } from "../protocol/Bytes.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import { maxBlockBytes, type OpenMode, type ReadBlockResult } from "../protocol/FileSystem.ts"
import type { Call } from "./Calls.ts"
import { ClientError } from "./ClientError.ts"

export interface RemoteFile {
  /** Up to 1 MiB from there; `eof` if fewer than `length` bytes came. */
  readonly read: (offset: number, length?: number) => Effect.Effect<ReadBlockResult, ClientError>
  /** Any number of bytes there. */
  readonly write: (offset: number, bytes: Uint8Array) => Effect.Effect<void, ClientError>
}

export interface FileBlocks {
  /** The end of the scope closes it. */
  readonly open: (uri: string, mode: OpenMode) => Effect.Effect<RemoteFile, ClientError, Scope.Scope>
  readonly read: (uri: string) => Stream.Stream<Uint8Array, ClientError>
  /** All of a file of about that size. */
  readonly readAll: (uri: string, size: number) => Effect.Effect<Uint8Array, ClientError>
  readonly write: <E>(
    uri: string,
    pieces: Stream.Stream<string | Uint8Array, E>,
  ) => Effect.Effect<void, ClientError | E>
}

export const make = (call: Call): FileBlocks => {
  let opened = 0

  const open: FileBlocks["open"] = (uri, mode) =>
    Effect.gen(function* () {
      const handleId = `file-${(opened += 1)}`
      yield* Effect.acquireRelease(call("fs/open", { handleId, path: uri, mode }), () =>
        Effect.ignore(call("fs/close", { handleId })),
      )
      const lost = Effect.mapError((error: ClientError) =>
        error.code === ErrorCode.notFound ? ended(uri) : error,
      )
      return {
        read: (offset, len = maxBlockBytes) => lost(call("fs/readBlock", { handleId, offset, len })),
        write: (offset, bytes) =>
          Effect.forEach(
            blocksOf(bytes),
            ([at, block]) =>
              lost(call("fs/writeBlock", { handleId, offset: offset + at, chunk: toBase64(block) })),
            { discard: true },
          ),
      }
    })

  const read: FileBlocks["read"] = (uri) =>
    Stream.unwrapScoped(
      Effect.map(open(uri, "read"), (file) =>
        Stream.paginateChunkEffect(0, (offset: number) =>
          Effect.map(file.read(offset), ({ chunk, eof }) => [
            chunk.length === 0 ? Chunk.empty<Uint8Array>() : Chunk.of(chunk),
            eof ? Option.none<number>() : Option.some(offset + chunk.length),
          ]),
        ),
      ),
    )

  return {
    open,
    read,
    readAll: (uri, size) =>
      Effect.gen(function* () {
        let whole = new Uint8Array(size)
        let at = 0
        yield* Stream.runForEach(read(uri), (block) =>
          Effect.sync(() => {
            if (at + block.length > whole.length) {
              const longer = new Uint8Array(Math.max(whole.length * 2, at + block.length))
              longer.set(whole)
              whole = longer
            }
            whole.set(block, at)
            at += block.length
          }),
        )
        return whole.subarray(0, at)
      }),
    write: (uri, pieces) =>
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* open(uri, "replace")
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
          yield* Stream.runForEach(pieces, (piece) => {
            const bytes = typeof piece === "string" ? utf8.encode(piece) : piece
            waiting.push(bytes)
            size += bytes.length
            return size >= maxBlockBytes ? flush : Effect.void
          })
          yield* flush
        }),
      ),
  }
}

/** The blocks of some bytes and where they begin. */
const blocksOf = (bytes: Uint8Array): ReadonlyArray<readonly [at: number, block: Uint8Array]> =>
  Array.from({ length: Math.ceil(bytes.length / maxBlockBytes) }, (_, index) => {
    const at = index * maxBlockBytes
    return [at, bytes.subarray(at, at + maxBlockBytes)]
  })

const ended = (uri: string) =>
  new ClientError({
    reason: "Disconnected",
    message: `${uri} is no longer open: open files end with their connection, which was lost`,
  })
