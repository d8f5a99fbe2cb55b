/**
 * Lists a tree breadth first, the names of a folder ordered by their bytes.
 *
 * The root is not listed. Links to files are left out, and so are links to folders unless they are followed; then each
 * folder is entered once, so that cycles end. An entry that fails is listed under `errors`; the walk goes on.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "../protocol/FileSystem.ts"
import * as NativePath from "../protocol/NativePath.ts"
import * as PathUri from "../protocol/PathUri.ts"
import { type FileError, invalid } from "./FileError.ts"
import type { Entry, FilesService } from "./Files.ts"
import { join } from "./Paths.ts"

/** The tree below `root`, within the limits of `options`. */
export const walk = (
  files: FilesService,
  root: string,
  options: FileSystem.WalkOptions,
): Effect.Effect<FileSystem.WalkResult, FileError> =>
  Effect.gen(function* () {
    yield* check(options)
    const { maxDepth, maxDirectories, maxEntries, followDirectorySymlinks, pruneHiddenDirectories } = options
    const entries: Array<FileSystem.WalkResult["entries"][number]> = []
    const errors: Array<FileSystem.WalkResult["errors"][number]> = []
    const result = (truncated: boolean) => ({ entries, errors, truncated })
    const failed = (path: string) => (error: FileError) => {
      errors.push({ path: PathUri.fromPath(path), message: error.message })
    }

    const start = yield* files.info(root, { follow: followDirectorySymlinks })
    if (start.kind !== "directory") return result(false)
    const entered = new Set([start.identity])
    let folders = 1
    let truncated = false

    /** The kind under which an entry is listed, and whether the walk enters it; undefined if it is left out. */
    const look = (path: string, { name, kind }: Entry) =>
      Effect.gen(function* () {
        if (kind === "file") return { kind, enter: false } as const
        if (kind !== "directory" && !(kind === "link" && followDirectorySymlinks)) return undefined
        const visible = !(pruneHiddenDirectories && name.startsWith("."))
        if (!followDirectorySymlinks) return { kind: "directory", enter: visible } as const
        const info = yield* files.info(path, { follow: true })
        if (info.kind !== "directory") return undefined
        const { identity } = info
        return { kind: "directory", enter: visible && !entered.has(identity), identity } as const
      })

    let level: ReadonlyArray<string> = [root]
    for (let depth = 0; level.length > 0; depth += 1) {
      const next: Array<string> = []
      for (const folder of level) {
        const listed = yield* Effect.either(files.list(folder))
        if (listed._tag === "Left") {
          failed(folder)(listed.left)
          continue
        }
        for (const entry of [...listed.right].sort((a, b) => NativePath.compare(a.name, b.name))) {
          const path = join(folder, entry.name)
          const seen = yield* Effect.either(look(path, entry))
          if (seen._tag === "Left") {
            // A dangling link is left out and is no error.
            if (entry.kind !== "link" || seen.left.reason !== "NotFound") failed(path)(seen.left)
            continue
          }
          if (seen.right === undefined) continue
          if (entries.length >= maxEntries) return result(true)
          entries.push({ path: PathUri.fromPath(path), kind: seen.right.kind })
          if (!seen.right.enter || depth >= maxDepth) continue
          if (folders >= maxDirectories) {
            truncated = true
            continue
          }
          folders += 1
          if ("identity" in seen.right) entered.add(seen.right.identity)
          next.push(path)
        }
      }
      level = next
    }
    return result(truncated)
  })

const check = ({ maxDepth, maxDirectories, maxEntries }: FileSystem.WalkOptions) => {
  const { depth, directories, entries } = FileSystem.maxWalk
  if (maxDepth > depth || maxDirectories > directories || maxEntries > entries) {
    const most = `depth=${depth}, directories=${directories}, entries=${entries}`
    return Effect.fail(invalid(`filesystem walk limits exceed maximums: ${most}`))
  }
  return maxDirectories === 0 || maxEntries === 0
    ? Effect.fail(invalid("filesystem walk limits must be greater than zero"))
    : Effect.void
}
