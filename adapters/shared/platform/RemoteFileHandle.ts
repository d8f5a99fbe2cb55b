/** An open file of `@effect/platform`: a position over the blocks of the wire. */
import * as PlatformFileSystem from "@effect/platform/FileSystem"
import type { PlatformError } from "@effect/platform/Error"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { RemoteFile } from "../../../core/client/FileBlocks.ts"
import type { RemoteFiles } from "../../../core/client/RemoteFiles.ts"
import { concat } from "../../../core/protocol/Bytes.ts"
import { maxBlockBytes } from "../../../core/protocol/FileBounds.ts"
import * as Turn from "../../../core/protocol/Turn.ts"
import { at, lacking } from "./Failure.ts"

const module = "FileSystem"

/** What the wire opens: files to be read, and files to be written from nothing. */
const modes: Readonly<Record<string, "read" | "replace">> = { r: "read", w: "replace" }

/** Opens a file until the end of the scope. `stat` is that of its path, which may lead elsewhere by then. */
export const open = (
  fs: RemoteFiles,
  path: string,
  { flag = "r", mode }: PlatformFileSystem.OpenFileOptions,
  fd: number,
  stat: PlatformFileSystem.File["stat"],
): Effect.Effect<PlatformFileSystem.File, PlatformError, Scope.Scope> =>
  Effect.gen(function* () {
    const refusal = refusalOf("open", flag, mode)
    if (refusal !== undefined) return yield* refusal
    const file = yield* at({ module, method: "open", pathOrDescriptor: path })(fs.open(path, modes[flag]))
    return toFile(file, path, fd, stat)
  })

/** Why a file cannot be opened so; undefined if it can. */
export const refusalOf = (method: string, flag: string, mode: number | undefined) => {
  if (mode !== undefined) {
    return lacking(module, method, "the wire has no mode of files: run the command chmod afterwards")
  }
  return flag in modes
    ? undefined
    : lacking(module, method, `the wire opens files with the flags r and w, and not with ${flag}`)
}

const toFile = (
  file: RemoteFile,
  path: string,
  fd: number,
  stat: PlatformFileSystem.File["stat"],
): PlatformFileSystem.File => {
  let position = 0
  const one = Turn.make()

  /** Up to `size` bytes from the position, fewer at the end of the file alone. */
  const read = (method: string, size: number) =>
    one(
      Effect.gen(function* () {
        const blocks: Array<Uint8Array> = []
        for (let left = size; left > 0;) {
          const block = yield* file.read(position, Math.min(left, maxBlockBytes))
          blocks.push(block.chunk)
          position += block.chunk.length
          left -= block.chunk.length
          if (block.eof) break
        }
        return concat(blocks)
      }).pipe(at({ module, method, pathOrDescriptor: path })),
    )

  const write = (method: string, bytes: Uint8Array) =>
    one(
      Effect.suspend(() => file.write(position, bytes)).pipe(
        Effect.tap(() => Effect.sync(() => (position += bytes.length))),
        at({ module, method, pathOrDescriptor: path }),
      ),
    )

  return {
    [PlatformFileSystem.FileTypeId]: PlatformFileSystem.FileTypeId,
    fd: PlatformFileSystem.FileDescriptor(fd),
    stat,
    seek: (offset, from) =>
      one(Effect.sync(() => void (position = Number(offset) + (from === "start" ? 0 : position)))),
    sync: lacking(module, "sync", "the wire cannot flush a file: run the command sync"),
    read: (buffer) =>
      Effect.map(read("read", buffer.length), (bytes) => {
        buffer.set(bytes)
        return PlatformFileSystem.Size(bytes.length)
      }),
    readAlloc: (size) =>
      Effect.map(read("readAlloc", Number(size)), (bytes) =>
        bytes.length === 0 ? Option.none() : Option.some(bytes),
      ),
    truncate: () => lacking(module, "truncate", "the wire cannot cut an open file: run the command truncate"),
    write: (bytes) => Effect.as(write("write", bytes), PlatformFileSystem.Size(bytes.length)),
    writeAll: (bytes) => write("writeAll", bytes),
  }
}
