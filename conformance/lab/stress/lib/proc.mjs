// @ts-check
// Reads /proc on Linux: servers, their children, and what is left of them.
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/**
 * A process. A pid that is used again has another time of start.
 * @typedef {{ pid: number, name: string, state: string, parent: number, began: string }} Process
 * @typedef {number | undefined} Pid
 */

/** The variable that every process of a stress has in its environment, with a value of its own for each play. */
export const markName = "STRESS_OF_PROCWIRE"

/** The result of a look, or `nothing` for a process that has ended. @template T @param {() => T} look @param {T} nothing */
const or = (look, nothing) => {
  try {
    return look()
  } catch {
    return nothing
  }
}
const read = (/** @type {string} */ path) => or(() => readFileSync(`/proc/${path}`, "utf8"), "")
const list = (/** @type {string} */ path) => or(() => readdirSync(`/proc/${path}`), [])

/** @param {string | number} pid @returns {Process | undefined} */
const statOf = (pid) => {
  const [, name = "", rest] = /^\d+ \((.*)\) (.*)$/s.exec(read(`${pid}/stat`)) ?? []
  if (rest === undefined) return undefined
  const [state = "", parent, ...fields] = rest.split(" ")
  return { pid: Number(pid), name, state, parent: Number(parent), began: fields[17] ?? "" }
}

export const processes = () => list("").flatMap((name) => (/^\d+$/.test(name) && statOf(name)) || [])

/** The processes with this mark in their environment. Zombies have no environment. @param {string} mark */
export const marked = (mark) =>
  processes().filter(({ pid }) => read(`${pid}/environ`).split("\0").includes(`${markName}=${mark}`))

/** The children of a process, their children, and so on. @param {Pid} pid */
export const descendants = (pid) => {
  const all = processes()
  const parents = new Set(pid === undefined ? [] : [pid])
  /** @type {Process[]} */
  const found = []
  for (;;) {
    const more = all.filter((one) => parents.has(one.parent) && !parents.has(one.pid))
    if (more.length === 0) return found
    for (const one of more) parents.add(one.pid)
    found.push(...more)
  }
}

/** True if this very process still runs: neither another with its pid, nor its zombie. @param {Process} process */
export const alive = ({ pid, began }) => {
  const now = statOf(pid)
  return now !== undefined && now.began === began && now.state !== "Z"
}

export const commandLine = (/** @type {number} */ pid) => read(`${pid}/cmdline`).replaceAll("\0", " ").trim()
export const isReaper = (/** @type {Process} */ { pid }) => commandLine(pid).includes("procwire-reaper")
/** The descendants of a server without its reaper. @param {Pid} pid */
export const left = (pid) => descendants(pid).filter((one) => !isReaper(one))
export const namesOf = (/** @type {readonly Process[]} */ processes) =>
  processes.map(({ pid, state, parent }) => `${pid} (${state}, of ${parent}) ${commandLine(pid)}`).join("; ")

/** Resident bytes. @param {Pid} pid */
export const rss = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(read(`${pid}/status`))?.[1] ?? 0) * 1024
/** The number of open descriptors. @param {Pid} pid */
export const descriptors = (pid) => list(`${pid}/fd`).length
/** The soft limit of open files of this process. */
export const fileLimit = () =>
  Number(/^Max open files\s+(\d+)/m.exec(read("self/limits"))?.[1] ?? Number.POSITIVE_INFINITY)

/** Asks until the answer is true, for at most so many milliseconds; the last answer. */
export const eventually = async (/** @type {() => boolean} */ ask, /** @type {number} */ millis) => {
  const end = performance.now() + millis
  for (;;) {
    const answer = ask()
    if (answer || performance.now() > end) return answer
    await sleep(50)
  }
}

/** So many looks in a row must find nothing: one may miss who starts another process and ends meanwhile. */
const sureLooks = 5

/**
 * Waits until nothing is there; fails if something is left, whose names it tells.
 * @param {() => readonly Process[]} look @param {(text: string) => void} fail @param {string} what
 */
export const vanish = async (look, fail, what) => {
  let [looks, last] = [0, /** @type {readonly Process[]} */ ([])]
  const gone = await eventually(() => {
    const found = look()
    if (found.length > 0) last = found
    looks = found.length === 0 ? looks + 1 : 0
    return looks >= sureLooks
  }, 20_000)
  if (!gone) fail(`${what}: ${namesOf(last).slice(0, 1000)}`)
}

/** Kills what is found until nothing is. @param {() => readonly Process[]} look */
export const killAll = (look) =>
  vanish(
    () => {
      const found = look()
      for (const { pid } of found) or(() => process.kill(pid, "SIGKILL"), false)
      return found
    },
    (text) => {
      throw new Error(text)
    },
    "killed in vain",
  )
