/**
 * Processes as /proc of Linux shows them. A process is named by its pid and the time of its start, because the system
 * uses a pid again. Elsewhere than on Linux there is nothing here.
 */
import { readdirSync, readFileSync } from "node:fs"

/** A process, or the zombie of one. */
export interface Entry {
  readonly pid: number
  /** One letter: `Z` is a zombie. */
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** When it started: hundredths of a second since the boot. */
  readonly start: number
}

/** The process with this pid now. */
export const find = (pid: number): Entry | undefined => {
  const text = read(`/proc/${pid}/stat`)
  // The name of the program, in parentheses, may hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const start = fields[19]
  if (start === undefined) return undefined
  return {
    pid,
    state: fields[0] ?? "",
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    start: Number(start),
  }
}

/** Every process that this one can see. */
export const all = (): ReadonlyArray<Entry> =>
  names().flatMap((name) => {
    const pid = Number(name)
    return pid > 0 ? (find(pid) ?? []) : []
  })

/** True if `entry` still runs: neither another process with its pid, nor its zombie. */
export const runs = ({ pid, start }: Pick<Entry, "pid" | "start">): boolean => {
  const now = find(pid)
  return now !== undefined && now.start === start && now.state !== "Z"
}

/** The time now, in the unit of `start`; 0 where that is not known. */
export const now = (): number => Math.floor(Number.parseFloat(read("/proc/uptime") || "0") * 100)

const names = (): ReadonlyArray<string> => {
  try {
    return readdirSync("/proc")
  } catch {
    return []
  }
}

const read = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}
