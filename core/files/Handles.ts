/**
 * The open files of one connection, by the ids that its client chose. They are closed with the connection.
 *
 * The caller orders the calls (see `ReadWriteLock`): `open` and `close` run exclusively.
 */
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { utf8 } from "../protocol/Bytes.ts"
import * as FileSystem from "../protocol/FileSystem.ts"
import { FileError, invalid } from "./FileError.ts"
import type { Block } from "./FileCalls.ts"

/** The table of open files. */
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
export const make: Effect.Effect<Handles, never, Scope.Scope> = Effect.gen(function* () {
  const handles = new Map<string, Handle>()
  const outer = yield* Effect.scope

  const find = (id: string) =>
    Effect.suspend(() => {
      const handle = handles.get(id)
      const refusal = tooLong(id) ?? (handle === undefined ? unknown(id) : undefined)
      return handle === undefined || refusal !== undefined
        ? Effect.fail(refusal ?? unknown(id))
        : Effect.succeed(handle)
    })

  return {
    open: (id, mode, opening) =>
      Effect.gen(function* () {
        const refusal = tooLong(id) ?? taken(handles, id)
        if (refusal !== undefined) return yield* Effect.fail(refusal)
        const scope = yield* Scope.fork(outer, ExecutionStrategy.sequential)
        const file = yield* opening.pipe(
          Scope.extend(scope),
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
        const { mode, file, release } = yield* find(id)
        if (length < 1 || length > FileSystem.maxBlockBytes) return yield* badLength("read")
        const reading = file.read(offset, length)
        // A failed read leaves a file in an unknown state: close it. A handle that writes is not affected.
        const chunk = yield* mode === "read" ? Effect.tapError(reading, () => release) : reading
        return { chunk, eof: chunk.length < length }
      }),

    write: (id, offset, bytes) =>
      Effect.gen(function* () {
        const { file } = yield* find(id)
        if (bytes.length < 1 || bytes.length > FileSystem.maxBlockBytes) return yield* badLength("write")
        if (offset + BigInt(bytes.length) > maxOffset) return yield* beyond
        yield* file.write(offset, bytes)
      }),

    close: (id) =>
      Effect.suspend(() => {
        const refusal = tooLong(id)
        return refusal === undefined ? (handles.get(id)?.release ?? Effect.void) : Effect.fail(refusal)
      }),
  }
})

/** The largest signed 64-bit integer: file offsets cannot exceed it. */
const maxOffset = 2n ** 63n - 1n

const tooLong = (id: string) =>
  utf8.encode(id).length > FileSystem.maxHandleIdBytes
    ? invalid(`file handle ID must not exceed ${FileSystem.maxHandleIdBytes} bytes`)
    : undefined

const taken = (handles: ReadonlyMap<string, Handle>, id: string) => {
  if (handles.has(id)) return invalid(`file handle \`${id}\` already exists`)
  return handles.size >= FileSystem.maxHandles
    ? invalid(`at most ${FileSystem.maxHandles} file handles may be open per connection`)
    : undefined
}

const unknown = (id: string) =>
  new FileError({ reason: "NotFound", message: `unknown file handle \`${id}\`` })

const badLength = (what: "read" | "write") =>
  Effect.fail(invalid(`file ${what} block length must be between 1 and ${FileSystem.maxBlockBytes}`))

const beyond = Effect.fail(invalid("file write range exceeds the signed 64-bit file offset limit"))
