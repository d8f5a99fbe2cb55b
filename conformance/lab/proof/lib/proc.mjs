// @ts-check
// What /proc on Linux says about servers, their children, and what is left of them.
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/**
 * A process. A pid that is used again has another time of start.
 * @typedef {{ pid: number, name: string, state: string, parent: number, began: string }} Process
 */

/** The variable that every process of a proof has in its environment, with a value of its own for each proof. */
export const markName = "PROCWIRE_PROOF"

/** @param {string} path */
const read = (path) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const pids = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name))

/** @param {string | number} pid @returns {Process | undefined} */
const statOf = (pid) => {
  const [, name = "", rest] = /^\d+ \((.*)\) (.*)$/s.exec(read(`/proc/${pid}/stat`)) ?? []
  if (rest === undefined) return undefined
  const fields = rest.split(" ")
  const [state = "", parent = ""] = fields
  return { pid: Number(pid), name, state, parent: Number(parent), began: fields[19] ?? "" }
}

export const processes = () => pids().flatMap((pid) => statOf(pid) ?? [])

/**
 * The processes with this mark in their environment. Zombies have no environment.
 * @param {string} mark
 */
export const marked = (mark) =>
  processes().filter(({ pid }) => read(`/proc/${pid}/environ`).split("\0").includes(`${markName}=${mark}`))

/**
 * The children of a process, their children, and so on.
 * @param {number | undefined} pid
 */
export const descendants = (pid) => {
  const all = processes()
  /** @type {Process[]} */
  const found = []
  const parents = new Set(pid === undefined ? [] : [pid])
  for (let grown = true; grown;) {
    grown = false
    for (const one of all) {
      if (!parents.has(one.parent) || parents.has(one.pid)) continue
      parents.add(one.pid)
      found.push(one)
      grown = true
    }
  }
  return found
}

/**
 * True if this very process still runs: neither another with its pid, nor its zombie.
 * @param {Process} process
 */
export const alive = ({ pid, began }) => {
  const now = statOf(pid)
  return now !== undefined && now.began === began && now.state !== "Z"
}

/** @param {number} pid */
export const commandLine = (pid) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim()

/** @param {Pick<Process, "pid">} process */
export const isReaper = ({ pid }) => commandLine(pid).includes("procwire-reaper")

/**
 * Resident bytes.
 * @param {number | undefined} pid
 */
export const rss = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024

/**
 * The number of open descriptors.
 * @param {number | undefined} pid
 */
export const descriptors = (pid) => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

/** The soft limit of open files of this process. */
export const fileLimit = () =>
  Number(/^Max open files\s+(\d+)/m.exec(read("/proc/self/limits"))?.[1] ?? Number.POSITIVE_INFINITY)

/**
 * Asks until the answer is true, for at most so many milliseconds; the last answer.
 * @param {() => boolean} ask
 * @param {number} millis
 */
export const eventually = async (ask, millis) => {
  const end = performance.now() + millis
  for (;;) {
    const answer = ask()
    if (answer || performance.now() > end) return answer
    await sleep(50)
  }
}
