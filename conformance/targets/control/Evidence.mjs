// @ts-check
/** What the kernel of Linux tells of a process and its descendants: who listens, and who waits for input in a pipe. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"

/** @typedef {import("./Parts.mjs").Entry} Entry */

/**
 * A file of /proc, which may be gone by now.
 * @param {string} path
 */
const read = (path) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** @param {string} path */
const target = (path) => {
  try {
    return readlinkSync(path)
  } catch {
    return ""
  }
}

/** @param {string} path */
const list = (path) => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** Whether it tells what is asked here. */
export const known = existsSync("/proc/self/syscall")

/**
 * A process and its descendants.
 * @param {number} leader
 */
export const members = (leader) => {
  const parents = new Map(
    list("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => {
        const fields = read(`/proc/${pid}/stat`)
          .replace(/^.*\) /s, "")
          .split(" ")
        return [Number(pid), Number(fields[1])]
      }),
  )
  /** @type {(pid: number) => boolean} */
  const descends = (pid) => pid === leader || (pid > 1 && descends(parents.get(pid) ?? 0))
  return [...parents.keys()].filter(descends)
}

/**
 * The sockets that listen on a port: their inodes, and the addresses.
 * @param {number} port
 */
export const listening = (port) =>
  read("/proc/self/net/tcp")
    .split("\n")
    .map((row) => row.trim().split(/\s+/))
    .filter(
      ([, local = "", , state]) => state === "0A" && Number.parseInt(local.split(":")[1] ?? "", 16) === port,
    )
    .map(([, local = "", , , , , , , , inode = ""]) => ({
      inode,
      host: [6, 4, 2, 0].map((at) => Number.parseInt(local.slice(at, at + 2), 16)).join("."),
    }))

/**
 * Who of these processes listens on a port.
 * @param {ReadonlyArray<number>} pids
 * @param {number} port
 */
export const listener = (pids, port) => {
  const sockets = listening(port)
  for (const pid of pids)
    for (const fd of sockets.length === 0 ? [] : list(`/proc/${pid}/fd`)) {
      const found = sockets.find(({ inode }) => target(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`)
      if (found !== undefined) return { port, host: found.host, pid }
    }
  return undefined
}

/** The number of the system call `read`. */
const reading = process.arch === "arm64" ? 63 : 0

/**
 * Who of a process and its descendants is in a read of the input of that process.
 * @param {Entry} entry
 */
export const asker = ({ child, pipeStdin }) => {
  const input = pipeStdin ? target(`/proc/${child.pid}/fd/0`) : ""
  for (const pid of input === "" ? [] : members(child.pid)) {
    const [call, fd] = read(`/proc/${pid}/syscall`).split(" ")
    if (call === `${reading}` && target(`/proc/${pid}/fd/${Number(fd)}`) === input)
      return { pid, from: "stdin" }
  }
  return undefined
}
