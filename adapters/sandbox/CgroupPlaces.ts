/** Where this server may make cgroups with a controller: below its own, of version 2 or of version 1. */
import process from "node:process"
import type { KernelFiles } from "../shared/host/KernelFiles.ts"
import * as ProcessTable from "../shared/process/ProcessTable.ts"

/** The controllers that are used. */
export type Controller = "memory" | "pids"

/** A folder of cgroups that have these controllers. */
export interface Place {
  readonly version: 1 | 2
  readonly folder: string
  readonly controllers: ReadonlyArray<Controller>
}

/** Makes a folder for each hierarchy that has one of the controllers. Throws where that is impossible. */
export const make = (controllers: ReadonlyArray<Controller>, files: KernelFiles): ReadonlyArray<Place> => {
  const parents = new Map<string, { readonly version: 1 | 2; readonly controllers: Array<Controller> }>()
  for (const controller of controllers) {
    const { parent, version } = parentOf(controller, files)
    const known = parents.get(parent) ?? { version, controllers: [] }
    known.controllers.push(controller)
    parents.set(parent, known)
  }
  return [...parents].map(([parent, { version, controllers }]) => {
    const enable = controllers.map((controller) => `+${controller}`).join(" ")
    if (version === 2) files.write(`${parent}/cgroup.subtree_control`, enable)
    const folder = makeFolder(parent, files)
    if (version === 2) files.write(`${folder}/cgroup.subtree_control`, enable)
    return { version, folder, controllers }
  })
}

/** The cgroup of this server that has the controller. In version 2 a server may be in one that it has made itself. */
const parentOf = (controller: Controller, { read }: KernelFiles) => {
  const own = read("/proc/self/cgroup").split("\n")
  const first = own.find((line) => line.split(":")[1]?.split(",").includes(controller))
  const version = first === undefined ? 2 : 1
  const path = (first ?? own.find((line) => line.startsWith("0::")) ?? "").replace(/^[^:]*:[^:]*:/, "")
  for (const line of read("/proc/self/mountinfo").split("\n")) {
    const [, root = "", point = "", type, options = ""] =
      /^\S+ \S+ \S+ (\S+) (\S+) .* - (cgroup2?) \S+ (\S+)/.exec(line) ?? []
    const has =
      version === 2 ? type === "cgroup2" : type === "cgroup" && options.split(",").includes(controller)
    if (!has || !path.startsWith(root)) continue
    const folder = point + path.slice(root === "/" ? 0 : root.length).replace(/\/(procwire-[^/]*)?$/, "")
    if (version === 1 || read(`${folder}/cgroup.controllers`).split(/\s/).includes(controller))
      return { parent: folder, version } as const
  }
  throw new Error(`no cgroup with the controller ${controller}`)
}

/** A folder whose name says which process it is of. Those of processes that are gone are removed. */
const makeFolder = (parent: string, files: KernelFiles): string => {
  const table = ProcessTable.make(files)
  const space = files.readLink("/proc/self/ns/pid").replaceAll(/\D/g, "")
  const names = files.list(parent)
  for (const name of names) {
    const [, where, pid, start] = /^procwire-limits-(\d+)-(\d+)-(\d+)-\d+$/.exec(name) ?? []
    if (where === space && table.find(Number(pid))?.start !== Number(start))
      removeAll(`${parent}/${name}`, files)
  }
  const name = `procwire-limits-${space}-${process.pid}-${table.find(process.pid)?.start}`
  let count = 1
  while (names.includes(`${name}-${count}`)) count += 1
  files.makeFolder(`${parent}/${name}-${count}`)
  return `${parent}/${name}-${count}`
}

/** Removes a folder and the cgroups in it, unless somebody is inside. */
export const removeAll = (folder: string, files: KernelFiles): void => {
  for (const name of files.list(folder)) if (name.startsWith("child-")) remove(`${folder}/${name}`, files)
  remove(folder, files)
}

/** True if the cgroup is gone. */
export const remove = (path: string, { list, removeFolder }: KernelFiles): boolean => {
  try {
    removeFolder(path)
    return true
  } catch {
    return list(path).length === 0
  }
}
