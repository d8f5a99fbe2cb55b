/** Reading content, metadata and names. */
import * as Effect from "effect/Effect"
import { concat } from "../protocol/Bytes.ts"
import * as ErrorText from "../protocol/ErrorText.ts"
import * as FileBounds from "../features/fs/FileBounds.ts"
import type * as FileSystem from "../features/fs/wire.ts"
import * as NativePath from "../protocol/NativePath.ts"
import { FileError, invalid } from "./FileError.ts"
import type { Entry, FileInfo, FilesService, OpenFile } from "./Files.ts"
import { join, pin, pinEntry } from "./Paths.ts"

/** Opens a regular file to read. If links are followed, anything else is refused without being opened. */
export const openFile = (files: FilesService, path: string, follow: boolean) =>
  Effect.gen(function* () {
    if (follow) {
      const info = yield* files.info(path, { follow })
      // No system opens a socket, and the peer tells what the system says of it.
      if (info.kind !== "socket") yield* mustBeFile(path, follow, info)
    }
    const place = follow ? path : yield* pinEntry(files, path)
    const file = yield* files.open(place, { access: "read", follow })
    const info = yield* file.info
    yield* mustBeFile(path, follow, info)
    return { file, info }
  })

export const readFile = (files: FilesService, path: string, follow: boolean) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { file, info } = yield* openFile(files, path, follow)
      if (info.size > FileBounds.maxFileBytes) return yield* tooLarge
      if (info.size > FileBounds.maxAnswerBytes) return yield* tooLong
      return info.size > 0 ? yield* file.read(0n, info.size) : yield* readToEnd(file)
    }),
  )

/** Kind, size and times; `follow: false` fails if a component of the path is a link. */
export const getMetadata = (
  files: FilesService,
  path: string,
  follow: boolean,
): Effect.Effect<FileSystem.Metadata, FileError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const place = follow ? path : yield* pin(files, path)
      const itself = yield* files.info(place, { follow: false })
      const isSymlink = itself.kind === "link"
      if (isSymlink && !follow) return yield* containsLink
      const info = isSymlink ? yield* files.info(place, { follow: true }) : itself
      return {
        isDirectory: info.kind === "directory",
        isFile: info.kind === "file",
        isSymlink,
        size: info.size,
        createdAtMs: info.createdMs,
        modifiedAtMs: info.modifiedMs,
      }
    }),
  )

/** The entries of a folder; links have the kind of their targets. */
export const readDirectory = (files: FilesService, path: string) =>
  Effect.gen(function* () {
    const entries = yield* files.list(path)
    if (entries.length > FileBounds.maxEntries) return yield* tooMany(entries.length)
    // Only links need an effect: one for each entry takes seconds for a full folder.
    const links = entries.filter(({ kind }) => kind === "link")
    const targets = yield* Effect.forEach(links, ({ name }) => kindOfTarget(files, join(path, name)), {
      concurrency: 16,
    })
    let followed = 0
    return entries.map(({ name, kind }) => toEntry(name, kind === "link" ? targets[followed++] : kind))
  })

/** The failure of `follow: false` for a path with a link in it. */
export const containsLink = Effect.fail(invalid(ErrorText.of("containsLink")))

/** Fails for anything but a regular file. */
export const mustBeFile = (path: string, follow: boolean, { kind }: FileInfo) => {
  if (kind === "file") return Effect.void
  const text = follow
    ? ErrorText.of("notAFile", { path: NativePath.toText(path) })
    : ErrorText.of("notRegular")
  return Effect.fail(invalid(text))
}

const tooLarge = Effect.fail(invalid(ErrorText.of("hugeFile", { bytes: FileBounds.maxFileBytes })))

const tooLong = Effect.fail(
  new FileError({
    reason: "Unsupported",
    message: `file is too large for one answer: limit is ${FileBounds.maxAnswerBytes} bytes; read it in blocks`,
  }),
)

const tooMany = (count: number) =>
  Effect.fail(
    new FileError({
      reason: "TooMany",
      message: ErrorText.of("tooManyEntries", { count, most: FileBounds.maxEntries }),
    }),
  )

/** The content of a file that reports the size 0, like those of /proc: reads up to EOF. */
const readToEnd = (file: OpenFile) =>
  Effect.gen(function* () {
    const blocks: Array<Uint8Array> = []
    let size = 0
    for (;;) {
      const block = yield* file.read(BigInt(size), FileBounds.maxBlockBytes)
      blocks.push(block)
      size += block.length
      if (size > FileBounds.maxAnswerBytes) return yield* tooLong
      if (block.length < FileBounds.maxBlockBytes) break
    }
    return concat(blocks)
  })

/** The kind of what a link leads to; `undefined` for one that leads nowhere. */
const kindOfTarget = (files: FilesService, link: string) =>
  files.info(link, { follow: true }).pipe(
    Effect.map(({ kind }): Entry["kind"] | undefined => kind),
    Effect.orElseSucceed(() => undefined),
  )

const toEntry = (name: Entry["name"], kind: Entry["kind"] | undefined): FileSystem.DirectoryEntry => ({
  fileName: NativePath.toText(name),
  isDirectory: kind === "directory",
  isFile: kind === "file",
})
