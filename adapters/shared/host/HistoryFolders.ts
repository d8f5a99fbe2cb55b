/**
 * The folders of servers that keep histories: `procwire-history-PID-BEGIN-PLACE-XXXXXX`, where BEGIN is when the server
 * began, and PLACE is the boot of the machine and the namespace in which the pid counts. So a later server knows which
 * of them are of servers that were killed, and removes those. Unknown ones, as of another boot, of another
 * container or of another user, stay; so do all of them on Deno without all permissions, which hides /proc. The folder
 * of a server with a holder stays, too: it waits for the next server of that holder.
 */
import * as fs from "node:fs"
import * as promises from "node:fs/promises"
import { hostname, tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import process from "node:process"
import * as Folders from "./Folders.ts"
import * as ProcessBegin from "../process/ProcessBegin.ts"

/**
 * Makes the folder of this server in another one, which is made, too; by default in the one for temporary files. `keep`
 * is the state folder of its holder, if it has one.
 */
export const make = async (root: string | undefined, keep?: string): Promise<string> => {
  if (root !== undefined) Folders.make(root, 0o700)
  const begin = ProcessBegin.denial() === undefined ? ProcessBegin.beginOf(process.pid) : "-"
  const folder = await promises.mkdtemp(
    join(root ?? tmpdir(), `procwire-history-${process.pid}-${begin}-${placeOfPids()}-`),
  )
  if (keep !== undefined) await promises.writeFile(join(folder, holderName), resolve(keep))
  return folder
}

/** The file that names the state folder of the holder of a server. */
const holderName = "holder"

/** The begin of the names of the folders in it, one for each process. */
export const ofProcess = "process-"

/** The file that a server puts into its folder when it leaves that to the next one, before it ends. */
const leftName = "left"

/** Leaves the folder of this server to the next one, as if this one had ended. */
export const leave = (folder: string): Promise<void> =>
  promises.writeFile(join(folder, leftName), "").catch(() => undefined)

/** True for the folder of a process in that of a server of this user that has ended. */
export const isLeft = (path: string): boolean =>
  basename(path).startsWith(ofProcess) &&
  ProcessBegin.denial() === undefined &&
  diedMillis(dirname(path), placeOfPids()) !== undefined

/** The folders of servers of this user that have died, or have left them, the one that was used last at the end. */
export const dead = (root = tmpdir()): ReadonlyArray<string> => {
  if (ProcessBegin.denial() !== undefined) return []
  const place = placeOfPids()
  const found = namesIn(root).flatMap((name) => {
    const path = join(root, name)
    const millis = diedMillis(path, place)
    return millis === undefined ? [] : [{ path, millis }]
  })
  return found.sort((a, b) => a.millis - b.millis).map(({ path }) => path)
}

/** The last use of the folder of a server of this user that has died, in milliseconds; undefined for any other. */
const diedMillis = (path: string, place: string): number | undefined => {
  const [, pid, begin, where] = named.exec(basename(path)) ?? []
  if (pid === undefined || where !== place) return undefined
  if (isAlive(Number(pid), begin ?? "-") && !fs.existsSync(join(path, leftName))) return undefined
  const own = process.geteuid?.()
  const stats = statsOf(path)
  const isOurs = stats?.isDirectory() === true && (own === undefined || stats.uid === own)
  return isOurs ? stats.mtimeMs : undefined
}

/**
 * Removes the folders of servers that have died, not those that this one has left, nor those that wait with a holder
 * for another server; returns how many had histories. `keep` is the state folder of the holder of this server.
 */
export const sweep = async (root?: string, keep?: string): Promise<number> => {
  const others = dead(root).filter((path) => named.exec(basename(path))?.[1] !== `${process.pid}`)
  const waits = await Promise.all(others.map((path) => isAwaited(path, keep)))
  const found = others.filter((_, index) => waits[index] !== true)
  const { length } = found.filter((path) => namesIn(path).some((name) => name.startsWith(ofProcess)))
  for (const path of found) await remove(path)
  return length
}

/** True for the folder of a server whose holder is another than that of this server, and may be there. */
const isAwaited = async (path: string, keep: string | undefined): Promise<boolean> => {
  const holder = textOf(join(path, holderName))
  if (holder === "" || (keep !== undefined && holder === resolve(keep))) return false
  const HolderPlace = await import("../keep/HolderPlace.ts")
  return !HolderPlace.isFree(holder)
}

export const remove = (folder: string): Promise<void> =>
  promises.rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)

const named = /^procwire-history-(\d+)-(\d+|-)-([\w.]+)-\w+$/

/** True if that process runs, or if a process runs that may be it. */
const isAlive = (pid: number, begin: string): boolean => {
  const now = ProcessBegin.beginOf(pid)
  return now !== "" && (begin === "-" || now === "-" || now === begin)
}

/** The space of a pid: the boot and the namespace. */
const placeOfPids = (): string => {
  const boot = textOf("/proc/sys/kernel/random/boot_id").trim().replaceAll("-", "")
  const namespace = orElse(() => fs.readlinkSync("/proc/self/ns/pid"), "").replaceAll(/\D/g, "")
  return boot === ""
    ? orElse(hostname, "").replaceAll(/\W/g, "_") || "_"
    : `${boot.slice(0, 12)}.${namespace || "_"}`
}

const namesIn = (folder: string): ReadonlyArray<string> => orElse(() => fs.readdirSync(folder), [])

const statsOf = (path: string) => orElse(() => fs.lstatSync(path), undefined)

const textOf = (file: string): string => orElse(() => fs.readFileSync(file, "utf8"), "")

/** An unreadable file counts as absent. */
const orElse = <A, B>(read: () => A, other: B): A | B => {
  try {
    return read()
  } catch {
    return other
  }
}
