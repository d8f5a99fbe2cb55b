/**
 * Reads Linux's /proc. Without one, and for a process that has ended, there is nothing to read.
 */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs"

/** True if this machine has a /proc as Linux has it. */
export const available: boolean = existsSync("/proc/self/fd") && existsSync("/proc/self/stat")

const read = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}

export const pids = (): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

export interface Stat {
  /** One letter, `Z` for a zombie. */
  readonly state: string
  readonly parent: number
}

/** The state and the parent of a process. The name before them may hold blanks and parentheses. */
export const stat = (pid: number): Stat | undefined => {
  const [, state, parent] = /^.*\) (\S) (\d+)/s.exec(read(`/proc/${pid}/stat`)) ?? []
  return state === undefined ? undefined : { state, parent: Number(parent) }
}

/** After each case the environment of every process is read, into the same memory: it has 64 KiB, or what one needed. */
let memory = Buffer.alloc(65_536)

/** The bytes of the environment of a process, in that memory; none for a process of another user. */
const environment = (pid: number): Buffer => {
  let file: number | undefined
  let length = 0
  try {
    file = openSync(`/proc/${pid}/environ`, "r")
    for (;;) {
      if (length === memory.length) memory = Buffer.concat([memory, Buffer.alloc(length)])
      const count = readSync(file, memory, length, memory.length - length, null)
      if (count === 0) break
      length += count
    }
  } catch {
    length = 0
  } finally {
    if (file !== undefined) closeSync(file)
  }
  return memory.subarray(0, length)
}

/**
 * The processes whose environment holds `NAME=value`, among those that the user may look at. Those of `older` are not
 * looked at.
 */
export const marked = (setting: string, older: ReadonlySet<number> = new Set()): ReadonlyArray<number> => {
  const [first, later] = [Buffer.from(`${setting}\0`), Buffer.from(`\0${setting}\0`)]
  return pids().filter((pid) => {
    if (older.has(pid)) return false
    const bytes = environment(pid)
    return (
      bytes.includes(later) || (bytes.length >= first.length && first.equals(bytes.subarray(0, first.length)))
    )
  })
}

/** The descriptors that this process has open. One of them is that of the listing itself. */
export const descriptors = (): ReadonlyArray<number> => readdirSync("/proc/self/fd").map(Number)

/** `O_CLOEXEC` as fcntl.h of Linux has it, on x86 and ARM. */
const closeOnExec = 0o2000000

/** True if an open descriptor of this process is passed on to the programs that it executes. */
export const passedOn = (descriptor: number): boolean => {
  const [, flags] = /^flags:\s*(\d+)/m.exec(read(`/proc/self/fdinfo/${descriptor}`)) ?? []
  return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
}
