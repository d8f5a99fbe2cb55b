/**
 * Finds the processes that a case has left behind, so that none outlives it.
 *
 * On Linux through /proc, also those that left the tree but carry a marker in their environment; elsewhere through
 * `ps`, by parent only. Where neither works the lists are empty.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fail } from "../Check.ts"
import { pause } from "../Deadline.ts"

const hasProc = existsSync("/proc/self/stat")

const read = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}

const pids = (): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

const parents = (): ReadonlyMap<number, number> => {
  const table = new Map<number, number>()
  if (hasProc) {
    for (const pid of pids()) {
      const stat = read(`/proc/${pid}/stat`)
      const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]
      if (parent !== undefined && parent !== "") table.set(pid, Number(parent))
    }
    return table
  }
  try {
    for (const line of execFileSync("ps", ["-A", "-o", "pid=", "-o", "ppid="], { encoding: "utf8" }).split(
      "\n",
    )) {
      const [pid, parent] = line.trim().split(/\s+/).map(Number)
      if (pid !== undefined && parent !== undefined) table.set(pid, parent)
    }
  } catch {
    return table
  }
  return table
}

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

/** All processes whose environment holds `NAME=value`. Empty without /proc. */
export const marked = (setting: string): ReadonlyArray<number> =>
  hasProc
    ? pids().filter(
        (pid) => pid !== process.pid && read(`/proc/${pid}/environ`).split("\0").includes(setting),
      )
    : []

/** Whether a process of this machine is alive. One that is dead and only waits to be reaped is not. */
export const alive = (pid: number): boolean => {
  if (hasProc) {
    const stat = read(`/proc/${pid}/stat`)
    return stat !== "" && stat.charAt(stat.lastIndexOf(")") + 2) !== "Z"
  }
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
