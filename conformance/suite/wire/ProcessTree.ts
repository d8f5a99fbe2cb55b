/**
 * Finds and kills the processes that a case has left behind.
 *
 * On Linux it reads /proc and also finds processes that have left the tree but carry a marker in their environment.
 * Elsewhere it asks `ps` and finds only descendants. If neither works, it finds none.
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

/** The ids of all processes that run now. Empty without /proc. */
export const running = (): ReadonlySet<number> => new Set(Procfs.available ? Procfs.pids() : [])

/**
 * All processes but this one whose environment holds `NAME=value`. Those of `older` are not looked at: a caller names
 * the processes that ran before the value was made, because to read every environment takes longer than most cases.
 * Empty without /proc.
 */
export const marked = (setting: string, older?: ReadonlySet<number>): ReadonlyArray<number> =>
  Procfs.available ? Procfs.marked(setting, older).filter((pid) => pid !== process.pid) : []

/** True if a process of this machine is alive. A zombie is not. */
export const alive = (pid: number): boolean => {
  if (Procfs.available) return (Procfs.stat(pid)?.state ?? "Z") !== "Z"
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Waits until all of them are dead; fails after `ms` milliseconds. */
export const awaitDeath = async (targets: ReadonlyArray<number>, ms: number): Promise<void> => {
  const until = performance.now() + ms
  while (targets.some(alive) && performance.now() < until) await pause(20)
  const left = targets.filter(alive).length
  if (left > 0) fail(`${left} of ${targets.length} processes are still alive after ${ms} ms`)
}

/** Sends SIGKILL to each process; one that has ended is ignored. */
export const killAll = (targets: ReadonlyArray<number>): void => {
  for (const pid of new Set(targets)) {
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      continue
    }
  }
}
