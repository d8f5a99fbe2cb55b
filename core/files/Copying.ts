/**
 * Copies of files, links and trees.
 *
 * Copying a file onto itself, also by another name, changes nothing. Links are copied as links. A tree is merged into
 * an existing folder; FIFOs, sockets and devices in a tree are skipped.
 */
import * as Effect from "effect/Effect"
import * as ErrorText from "../protocol/ErrorText.ts"
import { maxBlockBytes } from "../features/fs/FileBounds.ts"
import { createDirectory } from "./Changing.ts"
import { type FileError, invalid } from "./FileError.ts"
import type { FilesService } from "./Files.ts"
import { join, split } from "./Paths.ts"

/** Copies a file, a link, or with `recursive` a folder. */
export const copy = (
  files: FilesService,
  source: string,
  destination: string,
  recursive: boolean,
): Effect.Effect<void, FileError> =>
  Effect.gen(function* () {
    const { kind } = yield* files.info(source, { follow: false })
    switch (kind) {
      case "file":
        return yield* copyFile(files, source, destination)
      case "link":
        return yield* copyLink(files, source, destination)
      case "socket":
      case "other":
        return yield* unsupported
      case "directory":
        if (!recursive) return yield* notRecursive
        if (yield* isBelow(files, source, destination)) return yield* intoItself
        return yield* copyTree(files, source, destination)
    }
  })

const unsupported = Effect.fail(invalid(ErrorText.of("copySpecial")))
const notRecursive = Effect.fail(invalid(ErrorText.of("copyNotRecursive")))
const intoItself = Effect.fail(invalid(ErrorText.of("copyIntoItself")))

const copyLink = (files: FilesService, source: string, destination: string) =>
  Effect.flatMap(files.readLink(source), (target) => files.makeLink(target, destination))

const copyFile = (files: FilesService, source: string, destination: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const from = yield* files.open(source, { access: "read", follow: false })
      const { mode, kind, identity } = yield* from.info
      if (kind !== "file") return yield* unsupported
      const to = yield* files.open(destination, { access: "write", create: mode, follow: true })
      const target = yield* to.info
      if (target.identity === identity) return
      if (target.kind === "file") {
        yield* to.empty
        yield* to.setMode(mode)
      }
      for (let offset = 0n; ;) {
        const block = yield* from.read(offset, maxBlockBytes)
        if (block.length > 0) yield* to.write(offset, block)
        if (block.length < maxBlockBytes) return
        offset += BigInt(block.length)
      }
    }),
  )

const copyTree = (files: FilesService, source: string, destination: string): Effect.Effect<void, FileError> =>
  Effect.gen(function* () {
    yield* createDirectory(files, destination, true, true)
    for (const { name, kind } of yield* files.list(source)) {
      const [from, to] = [join(source, name), join(destination, name)]
      if (kind === "directory") yield* copyTree(files, from, to)
      else if (kind === "file") yield* copyFile(files, from, to)
      else if (kind === "link") yield* copyLink(files, from, to)
    }
  })

/** True if the destination is the source or lies in it, links resolved as far as the path exists. */
const isBelow = (files: FilesService, source: string, destination: string) =>
  Effect.gen(function* () {
    const from = yield* files.canonicalize(source)
    const to = yield* resolved(files, destination)
    return to === from || to.startsWith(join(from, ""))
  })

/** The canonical path; for a path without one, of its nearest folder that has one, plus the rest. */
const resolved = (files: FilesService, path: string): Effect.Effect<string, FileError> =>
  Effect.catch(files.canonicalize(path), (error) => {
    const [folder, name] = split(path)
    if (name === "") return Effect.fail(error)
    return Effect.map(resolved(files, folder), (above) => join(above, name))
  })
