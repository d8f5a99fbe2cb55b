/**
 * Lists a tree breadth first, the names of a folder ordered by their bytes.
 *
 * The root is not listed. Links to files are left out, and so are links to folders unless they are followed; then each
 * folder is entered once, so that cycles end. A folder that cannot be listed is in `errors`; the walk goes on.
 * Every entry counts for `maxEntries`, whether it is listed or not, so that the work is bounded; only one whose `stat`
 * fails, such as a dangling link, does not. The answer is cut at 4 MiB.
 */
import * as Effect from "effect/Effect"
import { utf8 } from "../protocol/Bytes.ts"
import * as ErrorText from "../protocol/ErrorText.ts"
import * as FileBounds from "../features/fs/FileBounds.ts"
import type * as FileSystem from "../features/fs/wire.ts"
import * as NativePath from "../protocol/NativePath.ts"
import * as PathUri from "../protocol/PathUri.ts"
import { type FileError, invalid } from "./FileError.ts"
import type { Entry, FilesService } from "./Files.ts"
import { join } from "./Paths.ts"

/** The tree below `root`, within limits that `check` has passed. */
export const walk = (
  files: FilesService,
  root: string,
  options: FileSystem.WalkOptions,
): Effect.Effect<FileSystem.WalkResult, FileError> =>
  Effect.gen(function* () {
    const { maxDepth, maxDirectories, maxEntries, followDirectorySymlinks, pruneHiddenDirectories } = options
    const entries: Array<FileSystem.WalkResult["entries"][number]> = []
    const errors: Array<FileSystem.WalkResult["errors"][number]> = []
    const result = (truncated: boolean) => ({ entries, errors, truncated })

    const start = yield* files.info(root, { follow: true })
    if (start.kind !== "directory") return result(false)
    if (!followDirectorySymlinks && (yield* files.info(root, { follow: false })).kind === "link") {
      return result(false)
    }
    const entered = new Set([start.identity])
    let looked = 0
    let folders = 1
    let truncated = false
    let answerBytes = 0
    const fits = (bytes: number) => (answerBytes += bytes + entryBytes) <= FileBounds.maxWalkBytes

    let level: ReadonlyArray<string> = [root]
    for (let depth = 0; level.length > 0; depth += 1) {
      const next: Array<string> = []
      for (const folder of level) {
        const listed = yield* Effect.result(files.list(folder))
        if (listed._tag === "Failure") {
          const error = { path: PathUri.fromPath(folder), message: listed.failure.message }
          if (!fits(error.path.length + utf8.encode(error.message).length)) return result(true)
          errors.push(error)
          continue
        }
        for (const entry of [...listed.success].sort((a, b) => NativePath.compare(a.name, b.name))) {
          const path = join(folder, entry.name)
          const seen = yield* look(files, path, entry, followDirectorySymlinks)
          if (seen === undefined) continue
          if (looked === maxEntries) return result(true)
          looked += 1
          if (seen.kind === undefined) continue
          const uri = PathUri.fromPath(path)
          if (!fits(uri.length)) return result(true)
          entries.push({ path: uri, kind: seen.kind })
          if (seen.kind === "file" || depth >= maxDepth) continue
          if (pruneHiddenDirectories && entry.name.startsWith(".")) continue
          if (seen.identity !== undefined) {
            if (entered.has(seen.identity)) continue
            entered.add(seen.identity)
          }
          if (folders < maxDirectories) next.push(path)
          else truncated = true
          folders += 1
        }
      }
      level = next
    }
    return result(truncated)
  })

/** Bytes that an entry of the answer counts beside its texts. */
const entryBytes = 64

interface Seen {
  /** The kind under which it is listed; undefined if it is left out. */
  readonly kind: "file" | "directory" | undefined
  /** The identity of a folder, where several links may lead to the same one. */
  readonly identity?: string
}

/** Looks at an entry; undefined if its `stat` fails. */
const look = (
  files: FilesService,
  path: string,
  { kind }: Entry,
  follow: boolean,
): Effect.Effect<Seen | undefined> => {
  if (kind === "file") return Effect.succeed({ kind })
  if (kind === "socket" || kind === "other") return Effect.succeed({ kind: undefined })
  if (kind === "directory" && !follow) return Effect.succeed({ kind })
  return files.info(path, { follow: true }).pipe(
    Effect.map((info): Seen => {
      const { identity } = info
      return follow && info.kind === "directory" ? { kind: info.kind, identity } : { kind: undefined }
    }),
    Effect.orElseSucceed(() => undefined),
  )
}

/** Fails for limits of 0 and for those above the highest. */
export const check = ({
  maxDepth,
  maxDirectories,
  maxEntries,
}: FileSystem.WalkOptions): Effect.Effect<void, FileError> => {
  const { depth, directories, entries } = FileBounds.maxWalk
  if (maxDirectories === 0 || maxEntries === 0) {
    return Effect.fail(invalid(ErrorText.of("emptyWalk")))
  }
  return maxDepth > depth || maxDirectories > directories || maxEntries > entries
    ? Effect.fail(invalid(ErrorText.of("highWalk", { depth, directories, entries })))
    : Effect.void
}
