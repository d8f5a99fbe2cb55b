/**
 * Files by patterns, over `fs/walk`.
 *
 * The folder before the first wildcard is walked. A tree that is too large for one answer is walked folder by folder,
 * and then only where something can match that is not ignored.
 */
import * as Effect from "effect/Effect"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import { maxWalk } from "../features/fs/FileBounds.ts"
import * as NativePath from "../protocol/NativePath.ts"
import type { Call } from "./Calls.ts"
import { ClientError } from "./ClientError.ts"
import type { GlobOptions } from "./FileOptions.ts"
import * as Glob from "./Glob.ts"
import { invalid, shown } from "./OptionNames.ts"
import * as RemotePath from "./RemotePath.ts"
import { isMissing, named } from "./SystemFailure.ts"

export const widest = {
  maxDepth: maxWalk.depth,
  maxDirectories: maxWalk.directories,
  maxEntries: maxWalk.entries,
  followDirectorySymlinks: false,
}

export const glob = (
  call: Call,
  info: EnvironmentInfo,
  given: string | ReadonlyArray<string>,
  options: GlobOptions,
): Effect.Effect<ReadonlyArray<string>, ClientError> =>
  Effect.gen(function* () {
    const { cwd = ".", ignore = [] } = options
    if (!Array.isArray(ignore)) {
      return yield* Effect.fail(invalid(`fs.glob takes an array of patterns as ignore, not ${shown(ignore)}`))
    }
    const folder = RemotePath.toNative(RemotePath.toUri(cwd, info), info)
    const parsed = (texts: string | ReadonlyArray<string>) =>
      Effect.try({
        try: () => [texts].flat().flatMap((text) => Glob.parse(text, folder)),
        catch: (error) => (error instanceof ClientError ? error : invalid(String(error))),
      })
    const patterns = yield* parsed(given)
    const ignored = yield* parsed(ignore)
    const found = new Set<string>()
    yield* Effect.forEach(patterns, (pattern) => search(call, info, pattern, ignored, options, found), {
      concurrency: 4,
      discard: true,
    })
    return [...found].sort(NativePath.compare)
  })

/** Adds the paths that match one pattern to `found`. */
const search = (
  call: Call,
  info: EnvironmentInfo,
  pattern: Glob.Pattern,
  ignored: ReadonlyArray<Glob.Pattern>,
  { onlyFiles = true, dot = false }: GlobOptions,
  found: Set<string>,
): Effect.Effect<void, ClientError> =>
  Effect.gen(function* () {
    const { root } = pattern
    const native = (uri: string) => RemotePath.toNative(uri, info)
    const at = (path: string) => ({ path: RemotePath.toUri(path, info) })
    // A walk enters no link, not even at its root.
    const real = yield* named({ method: "glob", path: root })(call("fs/canonicalize", at(root))).pipe(
      Effect.map(({ path }) => native(path)),
      Effect.catchIf(isMissing, () => Effect.succeed(undefined)),
    )
    if (real === undefined) return
    const spelled = (path: string) => inFolder(root) + path.slice(inFolder(real).length)
    const pruneHiddenDirectories = !dot && !Glob.showsHidden(pattern)

    const walk = (folder: string, maxDepth: number) =>
      Effect.map(
        named({ method: "glob", path: folder })(
          call("fs/walk", { ...at(folder), options: { ...widest, maxDepth, pruneHiddenDirectories } }),
        ),
        ({ entries, truncated }) => ({
          entries: entries.map(({ path, kind }) => ({ path: native(path), kind })),
          truncated,
        }),
      )
    const take = (path: string, kind: "file" | "directory"): void => {
      const name = spelled(path)
      if (onlyFiles && kind === "directory") return
      if (Glob.find(pattern, name, dot).matches && !isIgnored(ignored, name)) found.add(name)
    }
    const leads = (path: string): boolean => {
      const name = spelled(path)
      return Glob.find(pattern, name, dot).leads && !isIgnored(ignored, name)
    }
    const within = (folder: string, depth: number): Effect.Effect<void, ClientError> =>
      Effect.gen(function* () {
        const tree = yield* walk(folder, Math.min(depth, widest.maxDepth))
        if (!tree.truncated) {
          for (const { path, kind } of tree.entries) take(path, kind)
          return
        }
        const level = yield* walk(folder, 0)
        if (level.truncated) return yield* Effect.fail(tooMany(folder))
        for (const { path, kind } of level.entries) {
          take(path, kind)
          if (kind === "directory" && depth > 0 && leads(path)) yield* within(path, depth - 1)
        }
      })
    yield* within(real, Glob.depth(pattern))
  })

/** Whether a path, or a folder above it, matches a pattern of what is left out. */
const isIgnored = (ignored: ReadonlyArray<Glob.Pattern>, path: string): boolean => {
  for (let end = path.length; end > 0 && ignored.length > 0; end = path.lastIndexOf("/", end - 1)) {
    const above = path.slice(0, end)
    if (ignored.some((pattern) => Glob.find(pattern, above, true).matches)) return true
  }
  return false
}

const inFolder = (folder: string): string => (folder.endsWith("/") ? folder : `${folder}/`)

const tooMany = (path: string): ClientError =>
  new ClientError({
    reason: "Server",
    method: "glob",
    path,
    message: `glob ${path}: the directory has more entries than a server lists (50,000, or 4 MiB of paths)`,
  })
