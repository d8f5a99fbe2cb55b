/** Reads /proc of Linux: this process, its children, and others. */
import type { ChildProcess } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { constants } from "node:os"

/** The end of a child and of its output, as a shell has it: a death by signal n is 128 + n. */
export const ended = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) =>
    child.once("close", (code, signal) =>
      resolve(signal === null ? (code ?? -1) : 128 + constants.signals[signal]),
    ),
  )

/** The children of this process, zombies included. */
export const children = (): ReadonlyArray<{ readonly pid: number; readonly state: string }> =>
  processes().filter(({ parent }) => parent === process.pid)

/** The ids of the children of a process, without zombies. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  processes()
    .filter(({ parent, state }) => parent === pid && state !== "Z")
    .map(({ pid }) => pid)

/** True if the process has this argument. */
export const hasArgument = (pid: number, text: string): boolean => argumentsOf(pid).includes(text)

/** The ids of the processes that have this argument. */
export const withArgument = (text: string): ReadonlyArray<number> =>
  processes()
    .filter(({ pid, state }) => state !== "Z" && argumentsOf(pid).includes(text))
    .map(({ pid }) => pid)

/** True if the process ignores the signal with this number. */
export const ignores = (pid: number, signal: number): boolean => {
  const [, mask] = /^SigIgn:\s*(\w+)/m.exec(read(`/proc/${pid}/status`)) ?? []
  return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n
}

/** True for a process that is there and no zombie. */
export const isAlive = (pid: number): boolean =>
  processes().some((process) => process.pid === pid && process.state !== "Z")

const argumentsOf = (pid: number): ReadonlyArray<string> => read(`/proc/${pid}/cmdline`).split("\0")

const processes = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const [, state, parent] = /^.*\) (\S) (\d+)/s.exec(read(`/proc/${name}/stat`)) ?? []
      return state === undefined ? [] : [{ pid: Number(name), state, parent: Number(parent) }]
    })

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
