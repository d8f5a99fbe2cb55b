/**
 * What bubblewrap mounts for the places of a confinement, with the file system as it is now.
 *
 * Links are resolved before anything is mounted, so a place is what it leads to. A place that does not exist is left
 * out, unless it is guarded inside a folder that may be written: then a placeholder keeps the child from making it.
 */
import { existsSync, realpathSync, statSync } from "node:fs"
import { basename, dirname } from "node:path"
import * as Confinement from "../../../core/protocol/Confinement.ts"
import * as Placeholders from "./Placeholders.ts"

export interface Mounts {
  /** Arguments to bubblewrap. */
  readonly args: ReadonlyArray<string>
  /** Releases the placeholders. */
  readonly release: () => void
}

interface Real extends Confinement.Place {
  /** A placeholder, with nothing in it. */
  readonly empty?: boolean
}

/** Throws if a place that does not exist cannot be guarded. */
export const make = (confinement: Confinement.Confinement): Mounts => {
  const found = confinement.places.flatMap((place) => {
    const path = real(place.path)
    return path === undefined ? [] : [{ ...place, path }]
  })
  const existing = Confinement.merge(found)
  const releases: Array<() => void> = []
  const release = () => {
    for (const each of releases) each()
  }
  try {
    const absent: ReadonlyArray<Real> = confinement.places
      .filter(({ path, access }) => access !== "write" && real(path) === undefined)
      .flatMap(({ path, access }) => {
        const place = firstAbsent(path)
        if (place === undefined || Confinement.placeOf(existing, place)?.access !== "write") return []
        releases.push(Placeholders.hold(place))
        return [{ path: place, access, empty: true }]
      })
    const links = confinement.places.map(({ path }) => path)
    return { args: toArgs(Confinement.merge([...existing, ...absent]), links), release }
  } catch (error) {
    release()
    throw error
  }
}

const toArgs = (places: ReadonlyArray<Real>, asked: ReadonlyArray<string>): ReadonlyArray<string> => {
  const root = places.find(({ path }) => path === "/")?.access ?? "none"
  const rest = places.filter(({ path }) => path !== "/" && !Confinement.isWithin(path, "/proc"))
  // Real devices only if everything may be written: a disk device gives access to every file on it.
  const withDevices = root === "write" && rest.length === 0
  const args: Array<string> = []
  const seals: Array<string> = []
  if (root !== "none")
    args.push(withDevices ? "--dev-bind" : root === "write" ? "--bind" : "--ro-bind", "/", "/")
  if (!withDevices) args.push("--dev", "/dev")
  args.push("--proc", "/proc")
  // A server that runs as root could write the machine's settings, even without capabilities.
  if (root === "write") args.push("--ro-bind-try", "/sys", "/sys")
  seals.push("--remount-ro", "/proc")
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
