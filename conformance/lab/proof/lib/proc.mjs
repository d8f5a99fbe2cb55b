// What Linux's /proc tells about servers, their children, and what is left of them.
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/** The variable that every process of a proof carries, with the proof's own value. */
export const markName = "PROCWIRE_PROOF"

const read = (path) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const pids = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name))

/** State, parent and time of start: a pid that is used again has another time. */
const statOf = (pid) => {
  const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(read(`/proc/${pid}/stat`)) ?? []
  if (rest === undefined) return undefined
  const fields = rest.split(" ")
  return { pid: Number(pid), name, state: fields[0], parent: Number(fields[1]), began: fields[19] }
}

export const processes = () => pids().flatMap((pid) => statOf(pid) ?? [])

/** Those with the mark in their environment. Zombies have no environment any more. */
export const marked = (mark) =>
  processes().filter(({ pid }) => read(`/proc/${pid}/environ`).split("\0").includes(`${markName}=${mark}`))

/** All processes below this one, itself not included. */
export const descendants = (pid) => {
  const all = processes()
  const found = []
  const parents = new Set([pid])
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

/** Still there, under the same identity, and no zombie that only waits for its new parent. */
export const alive = ({ pid, began }) => {
  const now = statOf(pid)
  return now !== undefined && now.began === began && now.state !== "Z"
}

export const commandLine = (pid) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim()

export const isReaper = ({ pid }) => commandLine(pid).includes("procwire-reaper")

/** Resident bytes. */
export const rss = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024

export const descriptors = (pid) => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

/** Most open files of a process; its soft limit. */
export const fileLimit = (pid = "self") =>
  Number(/^Max open files\s+(\d+)/m.exec(read(`/proc/${pid}/limits`))?.[1] ?? Number.POSITIVE_INFINITY)

/** Asks until the answer is true; its last answer after `millis`. */
export const eventually = async (ask, millis) => {
  const end = performance.now() + millis
  for (;;) {
    const answer = ask()
    if (answer || performance.now() > end) return answer
    await sleep(50)
  }
}
