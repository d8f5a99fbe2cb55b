/**
 * Reads Linux's /proc. Where there is none, and for a process that has ended, there is nothing to read.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"

/** Whether this machine has a /proc as Linux has it. */
export const available: boolean = existsSync("/proc/self/fd") && existsSync("/proc/self/stat")

const read = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}

/** The ids of all processes. */
export const pids = (): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** What /proc/PID/stat says about a process. */
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

/** The environment of a process as `NAME=value`; empty for a process of another user. */
export const environment = (pid: number): ReadonlyArray<string> => read(`/proc/${pid}/environ`).split("\0")

/** The descriptors that this process has open. One of them is that of the listing itself. */
export const descriptors = (): ReadonlyArray<number> => readdirSync("/proc/self/fd").map(Number)

/** `O_CLOEXEC` as fcntl.h of Linux has it, on x86 and ARM. */
const closeOnExec = 0o2000000

/** Whether an open descriptor of this process is passed on to the programs that it executes. */
export const passedOn = (descriptor: number): boolean => {
  const [, flags] = /^flags:\s*(\d+)/m.exec(read(`/proc/self/fdinfo/${descriptor}`)) ?? []
  return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
}
