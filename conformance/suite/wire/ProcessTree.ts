/**
 * Finds the processes that a case has left behind, so that none outlives it.
 *
 * On Linux through /proc, also those that left the tree but carry a marker in their environment; elsewhere through
 * `ps`, by parent only. Where neither works the lists are empty.
 */
import { execFileSync } from "node:child_process"
import { fail } from "../Check.ts"
import { pause } from "../Deadline.ts"
import * as Procfs from "./Procfs.ts"

/** Pairs of a process and its parent, as `ps` lists them; none if there is no `ps`. */
const listedByPs = (): ReadonlyArray<readonly [pid: number, parent: number]> => {
  try {
    const lines = execFileSync("ps", ["-A", "-o", "pid=", "-o", "ppid="], { encoding: "utf8" })
      .trim()
      .split("\n")
    return lines.map((line) => {
      const [pid = -1, parent = -1] = line.trim().split(/\s+/).map(Number)
      return [pid, parent]
    })
  } catch {
    return []
  }
}

/** The parent of every process. */
const parents = (): ReadonlyMap<number, number> =>
  new Map(Procfs.available ? Procfs.pids().map((pid) => [pid, Procfs.stat(pid)?.parent ?? -1]) : listedByPs())

/** All processes below `root`, not `root` itself. */
export const descendants = (root: number): ReadonlyArray<number> => {
  const table = parents()
  const found: Array<number> = []
  const wanted = new Set([root])
  for (let grew = true; grew;) {
    grew = false
    for (const [pid, parent] of table) {
      if (wanted.has(parent) && !wanted.has(pid)) {
        wanted.add(pid)
        found.push(pid)
        grew = true
      }
    }
  }
  return found
}

/** All processes but this one whose environment holds `NAME=value`. Empty without /proc. */
export const marked = (setting: string): ReadonlyArray<number> =>
  Procfs.available
    ? Procfs.pids().filter((pid) => pid !== process.pid && Procfs.environment(pid).includes(setting))
    : []

/** Whether a process of this machine is alive. A zombie is not. */
export const alive = (pid: number): boolean => {
  if (Procfs.available) return (Procfs.stat(pid)?.state ?? "Z") !== "Z"
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Waits until all of them are dead. */
export const awaitDeath = async (targets: ReadonlyArray<number>, ms: number): Promise<void> => {
  const until = performance.now() + ms
  while (targets.some(alive) && performance.now() < until) await pause(20)
  const left = targets.filter(alive).length
  if (left > 0) fail(`${left} of ${targets.length} processes are still alive after ${ms} ms`)
}

export const killAll = (targets: ReadonlyArray<number>): void => {
  for (const pid of new Set(targets)) {
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      continue
    }
  }
}
