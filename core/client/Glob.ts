/**
 * Patterns of paths. `*` stands for any part of a name, `?` for one character, `[a-z]` and `[!a]` for one of a set,
 * `**` for any number of folders, `{a,b}` for alternatives; a backslash takes their meaning from them.
 *
 * A pattern is made absolute, and cut into one matcher for each component of a path. A path is matched by the set of
 * places in the pattern where it may be, so the time is at most the product of both lengths, whatever the pattern.
 */
import * as PathUri from "../protocol/PathUri.ts"
import { invalid, shown } from "./OptionNames.ts"
import * as Effect from "effect/Effect"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import { maxWalk } from "../features/fs/FileBounds.ts"
import * as NativePath from "../protocol/NativePath.ts"
import type { Call } from "./Calls.ts"
import { ClientError, clientError } from "./ClientError.ts"
import type { GlobOptions } from "./FileOptions.ts"
import * as RemotePath from "./RemotePath.ts"
import { isMissing, named } from "./SystemFailure.ts"

/** A pattern without alternatives. */
export interface Pattern {
  /** The folder that everything is in which can match: what is before the first wildcard. */
  readonly root: string
  /** A component each; `**` is any number of them. */
  readonly parts: ReadonlyArray<Part | "**">
}

/** One character of a name, or `*`. */
type Token = "*" | ((character: string) => boolean)

interface Part {
  readonly tokens: ReadonlyArray<Token>
  /** True if it begins with a dot, so that it is meant for names that do. */
  readonly hidden: boolean
  /** The name, if it has no wildcard. */
  readonly literal: string | undefined
}

/** The most alternatives of one pattern. */
const mostAlternatives = 1000

/** The patterns that a text means, relative to `folder`. Throws `ClientError` for one that can never be meant. */
export const parse = (text: string, folder: string): ReadonlyArray<Pattern> => {
  if (typeof text !== "string" || text === "") throw invalid(`fs.glob takes a pattern, not ${shown(text)}`)
  if (text.startsWith("!")) {
    throw invalid(`fs.glob takes no pattern with ! before it: name ${shown(text.slice(1))} in \`ignore\``)
  }
  return alternatives(text, text).map((one) => toPattern(one, folder))
}

/** The place of an absolute path within patterns. */
export interface Found {
  readonly matches: boolean
  /** Something below the path may match. */
  readonly leads: boolean
}

/** `dot`: whether wildcards match names that begin with a dot. */
export const find = ({ parts }: Pattern, path: string, dot: boolean): Found => {
  let places = reach(parts, [0])
  for (const name of components(path)) {
    const next = places.flatMap((place): ReadonlyArray<number> => {
      const part = parts[place]
      if (part === undefined) return []
      if (part === "**") return dot || !name.startsWith(".") ? [place] : []
      const shows = dot || part.hidden || !name.startsWith(".")
      return shows && matchesName(part.tokens, name) ? [place + 1] : []
    })
    places = reach(parts, [...new Set(next)])
  }
  return {
    matches: places.includes(parts.length),
    leads: places.some((place) => place < parts.length),
  }
}

/** The levels of folders below the root with something that can match: 0 for none, Infinity for any. */
export const depth = ({ parts, root }: Pattern): number =>
  parts.includes("**") ? Infinity : parts.length - components(root).length - 1

/** True if a component behind the root is meant for names that begin with a dot. */
export const showsHidden = ({ parts, root }: Pattern): boolean =>
  parts.slice(components(root).length).some((part) => part !== "**" && part.hidden)

const components = (path: string): ReadonlyArray<string> => path.split("/").filter((name) => name !== "")

/** The places that are reached without a further component: `**` may stand for none. */
const reach = (parts: Pattern["parts"], places: ReadonlyArray<number>): ReadonlyArray<number> => {
  const reached = new Set(places)
  for (const place of reached) if (parts[place] === "**") reached.add(place + 1)
  return [...reached]
}

/** True if a name matches. The rest behind the last `*` is tried at each character, so nothing is tried twice. */
const matchesName = (tokens: ReadonlyArray<Token>, name: string): boolean => {
  const characters = [...name]
  let [at, token] = [0, 0]
  let star: { readonly token: number; at: number } | undefined
  while (at < characters.length) {
    const next = tokens[token]
    if (next === "*") {
      star = { token, at }
      token += 1
    } else if (next !== undefined && next(characters[at] ?? "")) {
      at += 1
      token += 1
    } else if (star !== undefined) {
      star.at += 1
      at = star.at
      token = star.token + 1
    } else return false
  }
  return tokens.slice(token).every((rest) => rest === "*")
}

const toPattern = (text: string, folder: string): Pattern => {
  const absolute = text.startsWith("/") || /^[A-Za-z]:\//.test(text)
  const given = text.split("/").filter((part) => part !== "" && part !== ".")
  if (given.length === 0) throw invalid(`fs.glob takes a pattern with a name, not ${shown(text)}`)
  const parts = given.map((part) => (part === "**" ? part : toPart(part)))
  const wild = parts.findIndex(isWild)
  // A name at the end is looked up in its folder.
  const first = wild < 0 ? parts.length - 1 : wild
  if (given.includes("..", first)) {
    throw invalid(`fs.glob takes no .. behind a wildcard, nor at the end: ${shown(text)}`)
  }
  const names = parts.slice(0, first).map((part) => (part === "**" ? part : part.literal))
  const root = PathUri.normalise(`${absolute ? "" : folder}/${names.join("/")}`)
  return { root, parts: [...components(root).map(literally), ...parts.slice(first)] }
}

const isWild = (part: Part | "**"): boolean => part === "**" || part.literal === undefined

const literally = (name: string): Part => ({
  tokens: [...name].map((character) => (other) => other === character),
  hidden: name.startsWith("."),
  literal: name,
})

const toPart = (text: string): Part => {
  const tokens: Array<Token> = []
  let literal: string | undefined = ""
  const characters = [...text]
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? ""
    const set = character === "[" ? toSet(characters, at) : undefined
    if (character === "*") {
      if (tokens.at(-1) !== "*") tokens.push("*")
      literal = undefined
    } else if (character === "?") {
      tokens.push(() => true)
      literal = undefined
    } else if (set !== undefined) {
      tokens.push(set.has)
      literal = undefined
      at = set.end
    } else {
      if (character === "\\" && at + 1 < characters.length) at += 1
      const same = characters[at] ?? ""
      tokens.push((other) => other === same)
      literal = literal === undefined ? undefined : literal + same
    }
  }
  return { tokens, hidden: /^\\?\./.test(text), literal }
}

/** The set that begins at `from`; undefined if it has no end, so that its bracket stands for itself. */
const toSet = (characters: ReadonlyArray<string>, from: number) => {
  const negated = characters[from + 1] === "!" || characters[from + 1] === "^"
  const begin = from + (negated ? 2 : 1)
  // A bracket at the begin of a set is one of it.
  const end = characters.indexOf("]", begin + 1)
  if (end < 0) return undefined
  const ranges: Array<readonly [string, string]> = []
  for (let at = begin; at < end; at += 1) {
    const low = characters[at] ?? ""
    const isRange = characters[at + 1] === "-" && at + 2 < end
    ranges.push([low, isRange ? (characters[at + 2] ?? "") : low])
    if (isRange) at += 2
  }
  const code = (character: string) => character.codePointAt(0) ?? 0
  const has = (character: string) =>
    ranges.some(([low, high]) => code(low) <= code(character) && code(character) <= code(high)) !== negated
  return { has, end }
}

/** The texts that a text with `{a,b}` means. A pair of braces without a comma stands for itself. */
const alternatives = (text: string, whole: string): ReadonlyArray<string> => {
  const found = firstBraces(text)
  if (found === undefined) return [text]
  const { begin, end, inner } = found
  const rests = alternatives(text.slice(end + 1), whole)
  const all = inner.flatMap((one) =>
    alternatives(one, whole).flatMap((middle) => rests.map((rest) => text.slice(0, begin) + middle + rest)),
  )
  if (all.length > mostAlternatives) {
    throw invalid(`fs.glob takes at most ${mostAlternatives} alternatives: ${shown(whole)}`)
  }
  return all
}

/** The first pair of braces with a comma between them, and what the commas divide. */
const firstBraces = (text: string) => {
  for (let begin = 0; begin < text.length; begin += 1) {
    if (text[begin] === "\\") begin += 1
    else if (text[begin] === "{") {
      const inner: Array<string> = []
      let [level, from] = [0, begin + 1]
      for (let at = begin + 1; at < text.length; at += 1) {
        const character = text[at]
        if (character === "\\") at += 1
        else if (character === "{") level += 1
        else if (level > 0 && character === "}") level -= 1
        else if (level === 0 && (character === "," || character === "}")) {
          inner.push(text.slice(from, at))
          from = at + 1
          if (character === "}" && inner.length > 1) return { begin, end: at, inner }
          if (character === "}") break
        }
      }
    }
  }
  return undefined
}

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
        try: () => [texts].flat().flatMap((text) => parse(text, folder)),
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
  pattern: Pattern,
  ignored: ReadonlyArray<Pattern>,
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
    const pruneHiddenDirectories = !dot && !showsHidden(pattern)

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
      if (find(pattern, name, dot).matches && !isIgnored(ignored, name)) found.add(name)
    }
    const leads = (path: string): boolean => {
      const name = spelled(path)
      return find(pattern, name, dot).leads && !isIgnored(ignored, name)
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
    yield* within(real, depth(pattern))
  })

/** True if a path, or a folder above it, matches one of the patterns to leave out. */
const isIgnored = (ignored: ReadonlyArray<Pattern>, path: string): boolean => {
  for (let end = path.length; end > 0 && ignored.length > 0; end = path.lastIndexOf("/", end - 1)) {
    const above = path.slice(0, end)
    if (ignored.some((pattern) => find(pattern, above, true).matches)) return true
  }
  return false
}

const inFolder = (folder: string): string => (folder.endsWith("/") ? folder : `${folder}/`)

const tooMany = (path: string): ClientError =>
  clientError(
    "Server",
    `glob ${path}: the directory has more entries than a server lists (50,000, or 4 MiB of paths)`,
    { method: "glob", path },
  )
