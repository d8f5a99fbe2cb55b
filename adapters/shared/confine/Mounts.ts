/**
 * The mounts of bubblewrap for the places of a confinement, with the file system as it is now.
 *
 * Links are resolved before anything is mounted, so a place is what it leads to. A place that does not exist is left
 * out, unless it is guarded inside a folder that may be written: then a placeholder keeps the child from making it.
 */
import { existsSync, realpathSync, statSync } from "node:fs"
import { basename, dirname } from "node:path"
import * as Confinement from "../../../core/protocol/Confinement.ts"
import * as Placeholders from "./Placeholders.ts"

export interface Mounts {
  /** Arguments to bubblewrap, for each layer. */
  readonly args: ReadonlyArray<ReadonlyArray<string>>
  readonly release: () => void
}

interface Real extends Confinement.Place {
  /** A placeholder, with nothing in it. */
  readonly empty?: boolean
}

/** For layers, the outermost first. Throws if a place that does not exist cannot be guarded. */
export const makeAll = (layers: ReadonlyArray<Confinement.Confinement>): Mounts => {
  const releases: Array<() => void> = []
  const release = () => {
    for (const each of releases) each()
  }
  try {
    const outer: Array<ReadonlyArray<Real>> = []
    const args = layers.map((layer, index) => {
      // A path that an outer layer hides is not there for an inner one.
      const isThere = ({ path }: Real) =>
        outer.every((places) => (Confinement.placeOf(places, path)?.access ?? "none") !== "none")
      const places = realPlaces(layer, releases).filter(isThere)
      outer.push(places)
      const links = layer.places.map(({ path }) => path)
      return toArgs(places, links, { isOutermost: index === 0, isInnermost: index === layers.length - 1 })
    })
    return { args, release }
  } catch (error) {
    release()
    throw error
  }
}

/** Adds the releases of the placeholders to `releases`. */
const realPlaces = (
  confinement: Confinement.Confinement,
  releases: Array<() => void>,
): ReadonlyArray<Real> => {
  const found = confinement.places.flatMap((place) => {
    const path = real(place.path)
    return path === undefined ? [] : [{ ...place, path }]
  })
  const existing = Confinement.merge(found)
  const absent: ReadonlyArray<Real> = confinement.places
    .filter(({ path, access }) => access !== "write" && real(path) === undefined)
    .flatMap(({ path, access }) => {
      const place = firstAbsent(path)
      if (place === undefined || Confinement.placeOf(existing, place)?.access !== "write") return []
      releases.push(Placeholders.hold(place))
      return [{ path: place, access, empty: true }]
    })
  const places = Confinement.merge([...existing, ...absent])
  return Confinement.merge([...places, ...anchors(places)])
}

/**
 * The folders between a writable one and a place in it that may not be written: as mount points of their own they
 * cannot be renamed, which would take the place away from its path.
 */
const anchors = (places: ReadonlyArray<Real>): ReadonlyArray<Real> =>
  places
    .filter(({ access }) => access !== "write")
    .flatMap(({ path }) => foldersAbove(path))
    .filter((path) => path !== "/" && Confinement.placeOf(places, path)?.access === "write")
    .map((path) => ({ path, access: "write" }))

const foldersAbove = (path: string): ReadonlyArray<string> => {
  const parts = path.split("/").slice(1, -1)
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`)
}

interface Layer {
  readonly isOutermost: boolean
  readonly isInnermost: boolean
}

const toArgs = (
  places: ReadonlyArray<Real>,
  asked: ReadonlyArray<string>,
  { isOutermost, isInnermost }: Layer,
): ReadonlyArray<string> => {
  const root = places.find(({ path }) => path === "/")?.access ?? "none"
  const rest = places.filter(({ path }) => path !== "/" && !Confinement.isWithin(path, "/proc"))
  // Real devices only if everything may be written: a disk device gives access to every file on it.
  const withDevices = root === "write" && rest.length === 0
  const args: Array<string> = []
  const seals: Array<string> = []
  if (root !== "none")
    args.push(withDevices ? "--dev-bind" : root === "write" ? "--bind" : "--ro-bind", "/", "/")
  if (!withDevices) args.push("--dev", "/dev")
  // The kernel mounts no second proc where parts of the first one are covered.
  if (isOutermost) args.push("--proc", "/proc")
  else args.push(isInnermost ? "--ro-bind" : "--bind", "/proc", "/proc")
  // A server that runs as root could write the machine's settings, even without capabilities.
  if (root === "write") args.push("--ro-bind-try", "/sys", "/sys")
  // Bubblewrap writes to /proc to start another one inside, which seals it then.
  if (isOutermost && isInnermost) seals.push("--remount-ro", "/proc")
  if (root === "none") {
    for (const path of asked) {
      const target = real(path)
      const covered = target !== undefined && places.some((place) => isBelow(path, place, places))
      if (target !== undefined && target !== path && !covered) args.push("--symlink", target, path)
    }
    seals.push("--remount-ro", "/")
  }
  for (const [index, place] of rest.entries()) {
    const { path, access } = place
    const outer = [
      ...(root === "none" ? [] : [{ path: "/", access: root } as const]),
      ...rest.slice(0, index),
    ]
    const shown = (Confinement.placeOf(outer, path)?.access ?? "none") !== "none"
    if (path === "/dev" && access !== "none") continue
    if (access !== "none" && place.empty !== true) {
      args.push(access === "write" ? "--bind" : "--ro-bind", path, path)
    } else if (shown) {
      hide(place, rest, args, seals)
    }
  }
  return [...args, ...seals]
}

const hide = (
  { path, access, empty }: Real,
  places: ReadonlyArray<Real>,
  args: Array<string>,
  seals: Array<string>,
) => {
  if (empty !== true && !statSync(path).isDirectory()) {
    // A device on a mount with `nodev`: opening it fails.
    args.push("--ro-bind", "/dev/null", path)
    return
  }
  const passage = places.some((place) => place.path !== path && Confinement.isWithin(place.path, path))
  args.push("--perms", access === "read" ? "0555" : passage ? "0111" : "0000", "--tmpfs", path)
  seals.push("--remount-ro", path)
}

/** True if the path is visible inside, because this place covers it. */
const isBelow = (path: string, place: Real, places: ReadonlyArray<Real>): boolean =>
  place.access !== "none" && Confinement.placeOf(places, path) === place

const real = (path: string): string | undefined => {
  if (Placeholders.isHeld(path)) return undefined
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** The first part of a path that does not exist, with the links before it resolved. */
const firstAbsent = (path: string): string | undefined => {
  const folder = dirname(path)
  const parent = real(folder)
  if (parent === undefined) return folder === path ? undefined : firstAbsent(folder)
  const place = `${parent === "/" ? "" : parent}/${basename(path)}`
  return statSync(parent).isDirectory() && (!existsSync(place) || Placeholders.isHeld(place))
    ? place
    : undefined
}
