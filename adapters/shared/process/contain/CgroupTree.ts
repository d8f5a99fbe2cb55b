/**
 * The cgroup (version 2) of a server, in which each child gets a leaf.
 *
 * The leaves are threaded cgroups, because a thread may move itself into one without a lock of the whole system: the
 * thread that starts a child enters the leaf, so that the child is born there, and goes home. Moving a process into a
 * cgroup after its start takes 10 ms, and by then it may have forked.
 *
 * A leaf has to be in the same tree of threads as the server. If the server is in the root or in a threaded cgroup,
 * as one within another server, its own cgroup is the home. Elsewhere it first moves into its new cgroup.
 */
import type { KernelFiles } from "../../host/KernelFiles.ts"
import * as OsError from "../../host/OsError.ts"
import type { ProcessTable } from "../ProcessTable.ts"

/** Passes until stale cgroups are left alone. */
const STALE_PASSES = 50

export interface CgroupTree {
  /** The folder of the leaves. */
  readonly folder: string
  /** Makes a leaf at this path. */
  readonly makeLeaf: (path: string) => void
  /** This thread enters the leaf, and so do the children that it starts. */
  readonly enter: (leaf: string) => void
  /** This thread leaves its leaf. */
  readonly goHome: () => void
  /** The threads inside a leaf and the cgroups below it, without those of this process: they are taken home. */
  readonly inside: (leaf: string) => ReadonlyArray<number>
  /** No thread inside runs until `frozen` is false again, but everybody can be killed. */
  readonly freeze: (leaf: string, frozen: boolean) => void
  /** True if there is no cgroup below it. */
  readonly isFlat: (leaf: string) => boolean
  /** Removes the cgroup and those below it: false if somebody is inside. */
  readonly remove: (leaf: string) => boolean
  /** Removes the folder if it is empty. */
  readonly close: () => void
}

/** Makes the cgroup of this process. Throws where that is impossible; the error says why. */
export const make = (files: KernelFiles, table: ProcessTable): CgroupTree => {
  const own = ownFolder(files)
  const cgroups = operations(files)
  if (files.list(own).length === 0) throw new Error(`${own} cannot be read`)
  removeStale(own, files, table, cgroups)
  const folder = makeFolder(own, files, table)
  const moves = files.read(`${own}/cgroup.type`).trim() === "domain"
  const home = `${moves ? folder : own}/cgroup.threads`
  const goHome = () => files.write(home, "0")
  const close = () => {
    if (moves) attempt(() => files.write(`${own}/cgroup.procs`, String(process.pid)))
    cgroups.remove(folder)
  }
  try {
    if (moves) files.write(`${folder}/cgroup.procs`, String(process.pid))
    else files.write(`${folder}/cgroup.type`, "threaded")
    const leaf = `${folder}/probe`
    cgroups.makeLeaf(leaf)
    cgroups.enter(leaf)
    goHome()
    cgroups.remove(leaf)
  } catch (error) {
    close()
    throw error
  }
  const inside = (leaf: string) => {
    const listed = cgroups.threads(leaf)
    const own = listed.filter((thread) => files.read(`/proc/self/task/${thread}/stat`) !== "")
    for (const thread of own) attempt(() => files.write(home, String(thread)))
    return own.length === 0 ? listed : listed.filter((thread) => !own.includes(thread))
  }
  return { ...cgroups, folder, goHome, inside, close }
}

const operations = ({ read, list, write, makeFolder, removeFolder }: KernelFiles) => {
  const isFlat = (leaf: string) => !/nr_descendants [1-9]/.test(read(`${leaf}/cgroup.stat`))
  /** Only a cgroup has this file. */
  const below = (folder: string): ReadonlyArray<string> =>
    isFlat(folder)
      ? []
      : list(folder).flatMap((name) => {
          const path = `${folder}/${name}`
          return read(`${path}/cgroup.events`) === "" ? [] : [path]
        })
  const threads = (leaf: string): ReadonlyArray<number> => {
    const listed = read(`${leaf}/cgroup.threads`).split("\n")
    const found = listed.flatMap((line) => (line === "" ? [] : [Number(line)]))
    for (const each of below(leaf)) found.push(...threads(each))
    return found
  }
  const remove = (leaf: string): boolean => {
    for (const each of below(leaf)) remove(each)
    try {
      removeFolder(leaf)
      return true
    } catch (error) {
      return OsError.nameOf(OsError.errnoOf(error)) === "ENOENT"
    }
  }
  return {
    isFlat,
    below,
    threads,
    remove,
    makeLeaf: (path: string) => {
      makeFolder(path)
      write(`${path}/cgroup.type`, "threaded")
    },
    enter: (leaf: string) => write(`${leaf}/cgroup.threads`, "0"),
    freeze: (leaf: string, frozen: boolean) =>
      attempt(() => write(`${leaf}/cgroup.freeze`, frozen ? "1" : "0")),
  }
}

const ownFolder = ({ read }: KernelFiles): string => {
  const path = /^0::(.*)$/m.exec(read("/proc/self/cgroup"))?.[1]
  const mount = /^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(read("/proc/self/mountinfo"))
  if (path === undefined || mount === null) throw new Error("no cgroups of version 2 are mounted")
  const [, root = "/", point = ""] = mount
  if (path.includes("/..") || !path.startsWith(root))
    throw new Error("the cgroup of this process is not visible")
  return point + (root === "/" ? path : path.slice(root.length)).replace(/\/$/, "")
}

/** A name that says which process it is of, so that it is known to be stale when that process is gone. */
const makeFolder = (own: string, files: KernelFiles, table: ProcessTable): string => {
  const name = `procwire-${namespace(files)}-${process.pid}-${table.find(process.pid)?.start}`
  for (let count = 1; ; count += 1) {
    const folder = `${own}/${name}-${count}`
    try {
      files.makeFolder(folder)
      return folder
    } catch (error) {
      if (OsError.nameOf(OsError.errnoOf(error)) !== "EEXIST") throw error
    }
  }
}

/** Pids say something only within their namespace. */
const namespace = ({ readLink }: KernelFiles): string => readLink("/proc/self/ns/pid").replaceAll(/\D/g, "")

/** Kills and removes what servers have left that were killed together with what would have cleaned up. */
const removeStale = (
  own: string,
  files: KernelFiles,
  table: ProcessTable,
  { below, threads, remove, freeze }: ReturnType<typeof operations>,
): void => {
  for (const name of files.list(own)) {
    const [, space, pid, start] = /^procwire-(\d+)-(\d+)-(\d+)-\d+$/.exec(name) ?? []
    if (space !== namespace(files) || table.find(Number(pid))?.start === Number(start)) continue
    const folder = `${own}/${name}`
    for (let pass = 0; pass < STALE_PASSES && !remove(folder); pass += 1) {
      for (const leaf of below(folder)) {
        freeze(leaf, true)
        for (const thread of threads(leaf)) attempt(() => process.kill(thread, "SIGKILL"))
      }
    }
  }
}

const attempt = (change: () => void): void => {
  try {
    change()
  } catch {
    // It is gone, or not ours.
  }
}
