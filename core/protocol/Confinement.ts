/**
 * Resolves a sandbox object to what it means on this host: native paths with an access each, and whether there is a
 * network.
 *
 * The most specific place decides over a path, in whatever order the profile lists them; for the same path `none` wins
 * over `write`, and `write` over `read`. A path below no place does not exist for the confined program. In a writable
 * folder, names from which tools outside of the confinement take commands (`.git` and others) are read-only unless the
 * profile lists them. Nothing here touches the file system: the spawner handles links and places that do not exist.
 */
import * as Result from "effect/Result"
import * as NativePath from "./NativePath.ts"
import * as PathUri from "./PathUri.ts"
import type { Entry, Sandbox, SpecialPath } from "./Sandbox.ts"

/** The access of a confined program; `none` hides the path. */
export type Access = "read" | "write" | "none"

/** The access to a path and to everything below it. */
export interface Place {
  /** Absolute and native. */
  readonly path: string
  /** May be overridden by a more specific place. */
  readonly access: Access
}

/** The bounds of a process: its files, and the network. */
export interface Confinement {
  /** One for each path, the less specific ones first. */
  readonly places: ReadonlyArray<Place>
  /** False if the process must not reach any network. */
  readonly network: boolean
  /**
   * Two or more confinements that hold at once, the outermost first: that of the server, and that of the request.
   * `places` is what they leave by their paths alone. A spawner that can nest them need not trust the links in folders
   * that confined processes write; their own `network` does not count.
   */
  readonly layers?: ReadonlyArray<Confinement>
}

/** Values for the variable parts of a profile. */
export interface Context {
  /** The operating system: `linux`, `macos`, `windows`. */
  readonly platform: string
  /** The directory of the request, for a sandbox object without `cwd`. */
  readonly cwd: string | undefined
  /** `TMPDIR` of the confined process. */
  readonly tmpdir: string | undefined
}

/** The meaning of the kind `minimal`: the programs, libraries and settings of the system. */
const systemFolders: ReadonlyArray<string> =
  "/bin /etc /lib /lib32 /lib64 /libx32 /nix/store /run/current-system/sw /sbin /usr".split(" ")

/** Names that are read-only in a writable folder: tools outside of the confinement execute what these say. */
export const guardedNames: ReadonlyArray<string> = [".git", ".agents", ".codex", ".aws"]

/** The confinement that an object asks for; undefined if it asks for none. A failure is the text of the refusal. */
export const resolve = (
  sandbox: Sandbox,
  context: Context,
): Result.Result<Confinement | undefined, string> => {
  const { permissions } = sandbox
  if (permissions.type === "disabled") return Result.succeed(undefined)
  const network = permissions.network === "enabled"
  const free = (): Confinement | undefined => (network ? undefined : { places: [everything], network })
  if (permissions.type === "external" || permissions.file_system.type === "unrestricted") {
    return Result.succeed(free())
  }
  const { entries } = permissions.file_system
  return Result.gen(function* () {
    const places: Array<Place> = []
    for (const entry of entries) {
      const access = entry.access === "deny" ? "none" : entry.access
      for (const path of yield* pathsOf(entry, sandbox, context)) places.push({ path, access })
    }
    const ordered = merge([...places, ...guards(places)])
    return ordered.length === 1 && isEverything(ordered[0]) ? free() : { places: ordered, network }
  })
}

/** True if every file may be written, so that at most the network is confined. */
export const hasAllFiles = ({ places }: Confinement): boolean =>
  places.length === 1 && isEverything(places[0])

/** True if a profile refers to the working directory or the project roots, which the request has to name. */
export const needsCwd = (sandbox: Sandbox): boolean => {
  const { permissions } = sandbox
  if (permissions.type !== "managed" || permissions.file_system.type !== "restricted") return false
  return permissions.file_system.entries.some(
    ({ path }) =>
      (path.type === "special" && dynamicKinds.has(path.value.kind)) ||
      (path.type === "glob_pattern" && !PathUri.isNativePath(path.pattern)),
  )
}

/** One place for each path, the strictest, ordered from less to more specific. */
export const merge = (places: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  const strictest = new Map<string, Place>()
  for (const place of places) {
    const other = strictest.get(place.path)
    if (other === undefined || rank[place.access] > rank[other.access]) strictest.set(place.path, place)
  }
  return [...strictest.values()].sort((one, other) => depth(one.path) - depth(other.path))
}

/** The place that decides over a path; undefined if the path does not exist in the confinement. */
export const placeOf = (places: ReadonlyArray<Place>, path: string): Place | undefined =>
  places.filter((place) => isWithin(path, place.path)).at(-1)

/** True for a folder itself and for everything below it. */
export const isWithin = (path: string, folder: string): boolean =>
  folder === "/" || path === folder || path.startsWith(`${folder}/`)

const everything: Place = { path: "/", access: "write" }

const isEverything = (place: Place | undefined): boolean => place?.path === "/" && place.access === "write"

const rank: Readonly<Record<Access, number>> = { read: 0, write: 1, none: 2 }

const dynamicKinds: ReadonlySet<string> = new Set(["current_working_directory", "project_roots"])

const depth = (path: string): number => (path === "/" ? 0 : path.split("/").length)

const guards = (places: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  const named = new Set(places.map(({ path }) => path))
  return merge(places)
    .filter(({ path, access }) => access === "write" && path !== "/")
    .flatMap(({ path }) => guardedNames.map((name): Place => ({ path: `${path}/${name}`, access: "read" })))
    .filter(({ path }) => !named.has(path))
}

const pathsOf = (
  { path, access }: Entry,
  sandbox: Sandbox,
  context: Context,
): Result.Result<ReadonlyArray<string>, string> => {
  switch (path.type) {
    case "path":
      return Result.map(toPath(path.path, context), (native) => [native])
    case "special":
      return specialPaths(path.value, sandbox, context)
    case "glob_pattern":
      // A pattern that allows may be ignored: less is allowed then. One that denies must not be ignored.
      return access === "read" || access === "write"
        ? Result.succeed([])
        : Result.fail("`glob_pattern` entries without access are not supported by this server")
  }
}

const specialPaths = (
  value: SpecialPath,
  sandbox: Sandbox,
  context: Context,
): Result.Result<ReadonlyArray<string>, string> => {
  switch (value.kind) {
    case "root":
      return Result.succeed(["/"])
    case "minimal":
      return Result.succeed(systemFolders)
    case "slash_tmp":
      return Result.succeed(["/tmp"])
    case "tmpdir":
      return Result.succeed(context.tmpdir?.startsWith("/") ? [PathUri.normalise(context.tmpdir)] : [])
    case "unknown":
      return Result.succeed([])
    case "current_working_directory": {
      const uri = sandbox.policyContext?.cwd ?? sandbox.cwd
      if (uri != null) return Result.map(toPath(uri, context), (path) => [path])
      if (context.cwd === undefined) return Result.succeed([])
      return NativePath.isText(context.cwd)
        ? Result.succeed([context.cwd])
        : Result.fail("a working directory that is not UTF-8 cannot be a place of a sandbox")
    }
    case "project_roots": {
      const uris = sandbox.policyContext?.workspaceRoots ?? sandbox.workspaceRoots ?? []
      return Result.flatMap(Result.all(uris.map((uri) => toPath(uri, context))), (roots) =>
        Result.all(roots.map((root) => below(root, value.subpath ?? ""))),
      )
    }
  }
}

const toPath = (uri: string, { platform }: Context): Result.Result<string, string> =>
  Result.mapError(PathUri.toTextPath(uri, platform), ({ message }) => message)

const below = (root: string, subpath: string): Result.Result<string, string> => {
  const path = PathUri.normalise(`${root}/${subpath}`)
  return isWithin(path, root) && !subpath.startsWith("/")
    ? Result.succeed(path)
    : Result.fail(`subpath \`${subpath}\` is not below its project root`)
}

type Places = ReadonlyArray<Place>

/** The bounds of a request that asks for `asked`, or for everything, under a floor. Without a floor it is `asked`. */
export const underFloor = (
  floor: Confinement | undefined,
  asked: Confinement | undefined,
): Confinement | undefined => {
  if (floor === undefined || asked === undefined) return floor ?? asked
  const network = floor.network && asked.network
  if (hasAllFiles(floor)) return { ...asked, network }
  const places = intersect(floor.places, asked.places)
  if (isSame(places, plain(floor.places))) return { ...floor, network }
  return { places, network, layers: [...layersOf(floor), ...layersOf(asked)] }
}

/** The confinements that hold at once, the outermost first. */
export const layersOf = (confinement: Confinement): ReadonlyArray<Confinement> =>
  confinement.layers ?? [confinement]

/** @internal The access that both allow, by the paths alone. */
export const intersect = (one: Places, other: Places): Places =>
  plain(
    merge([...one, ...other]).map(({ path }): Place => {
      const [first, second] = [accessTo(one, path), accessTo(other, path)]
      return { path, access: order.indexOf(first) < order.indexOf(second) ? first : second }
    }),
  )

/** True if every file exists for a request, whether or not it may be written. */
export const showsAllFiles = ({ places }: Confinement): boolean =>
  accessTo(places, "/") !== "none" && places.every(({ access }) => access !== "none")

/** From less to more. */
const order: ReadonlyArray<Access> = ["none", "read", "write"]

const accessTo = (places: Places, path: string): Access => placeOf(places, path)?.access ?? "none"

/** Without the places that say the same as the place they are in. */
const plain = (places: Places): Places =>
  places.filter(({ path, access }, index) => accessTo(places.slice(0, index), path) !== access)

const isSame = (one: Places, other: Places): boolean =>
  one.length === other.length &&
  one.every(({ path, access }, index) => other[index]?.path === path && other[index]?.access === access)
