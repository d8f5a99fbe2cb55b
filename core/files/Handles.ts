/**
 * The open files of one connection, by the ids that its client chose. They are closed with the connection.
 *
 * The caller orders the calls (see `ReadWriteLock`): `open` and `close` run exclusively.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { utf8 } from "../protocol/Bytes.ts"
import * as ErrorText from "../protocol/ErrorText.ts"
import * as FileBounds from "../features/fs/FileBounds.ts"
import type * as FileSystem from "../features/fs/wire.ts"
import { FileError, invalid } from "./FileError.ts"
import type { Block } from "./FileCalls.ts"

export interface Handles {
  /** Opens a file under an id. The scope of `opening` closes with the handle. */
  readonly open: <E>(
    id: string,
    mode: FileSystem.OpenMode,
    opening: Effect.Effect<Block, E, Scope.Scope>,
  ) => Effect.Effect<void, E | FileError>
  /** Reads up to `length` bytes (1 to 1 MiB) at an offset. */
  readonly read: (
    id: string,
    offset: bigint,
    length: number,
  ) => Effect.Effect<FileSystem.ReadBlockResult, FileError>
  /** Writes 1 byte to 1 MiB at an offset. */
  readonly write: (id: string, offset: bigint, bytes: Uint8Array) => Effect.Effect<void, FileError>
  /** Closes a handle; an unknown id is no failure. */
  readonly close: (id: string) => Effect.Effect<void, FileError>
}

interface Handle {
  readonly mode: FileSystem.OpenMode
  readonly file: Block
  readonly release: Effect.Effect<void>
}

/** All handles are closed with the scope. */
export const make = (outer: Scope.Scope): Handles => {
  const handles = new Map<string, Handle>()

  const find = (id: string) =>
    Effect.suspend(() => Effect.fromNullishOr(handles.get(id)).pipe(Effect.mapError(() => unknown(id))))

  return {
    open: (id, mode, opening) =>
      Effect.gen(function* () {
        const refusal = tooLong(id) ?? taken(handles, id)
        if (refusal !== undefined) return yield* Effect.fail(refusal)
        const scope = yield* Scope.fork(outer)
        const file = yield* opening.pipe(
          Scope.provide(scope),
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
        )
        const release = Effect.suspend(() => {
          handles.delete(id)
          return Scope.close(scope, Exit.void)
        })
        handles.set(id, { mode, file, release })
      }).pipe(Effect.uninterruptible),

    read: (id, offset, length) =>
      Effect.gen(function* () {
        yield* checkLength("read", id, length)
        const { mode, file, release } = yield* find(id)
        const reading = file.read(offset, length)
        // A failed read leaves a file in an unknown state: close it. A handle that writes is not affected.
        const chunk = yield* mode === "read" ? Effect.tapError(reading, () => release) : reading
        return { chunk, eof: chunk.length < length }
      }),

    write: (id, offset, bytes) =>
      Effect.gen(function* () {
        yield* checkLength("write", id, bytes.length)
        if (offset + BigInt(bytes.length) > maxOffset) return yield* beyond
        const { file } = yield* find(id)
        yield* file.write(offset, bytes)
      }),

    close: (id) =>
      Effect.suspend(() => {
        const refusal = tooLong(id)
        return refusal === undefined ? (handles.get(id)?.release ?? Effect.void) : Effect.fail(refusal)
      }),
  }
}

/** The largest signed 64-bit integer: file offsets cannot exceed it. */
const maxOffset = 2n ** 63n - 1n

const tooLong = (id: string) =>
  utf8.encode(id).length > FileBounds.maxHandleIdBytes
    ? invalid(ErrorText.of("longHandle", { most: FileBounds.maxHandleIdBytes }))
    : undefined

const taken = (handles: ReadonlyMap<string, Handle>, id: string) => {
  if (handles.has(id)) return invalid(ErrorText.of("handleExists", { handleId: id }))
  return handles.size >= FileBounds.maxHandles
    ? invalid(ErrorText.of("manyHandles", { most: FileBounds.maxHandles }))
    : undefined
}

const unknown = (id: string) =>
  new FileError({ reason: "NotFound", message: ErrorText.of("unknownHandle", { handleId: id }) })

/** Judges what a request for a block says about itself, before its handle is looked for. */
const checkLength = (what: "read" | "write", id: string, length: number): Effect.Effect<void, FileError> => {
  const refusal = tooLong(id)
  if (refusal !== undefined) return Effect.fail(refusal)
  const most = FileBounds.maxBlockBytes
  return length < 1 || length > most
    ? Effect.fail(invalid(ErrorText.of("blockLength", { what, most })))
    : Effect.void
}

const beyond = Effect.fail(invalid(ErrorText.of("blockOffset")))
