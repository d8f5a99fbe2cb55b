/**
 * Processes as /proc of Linux shows them. A process is named by its pid and the time of its start, because the system
 * uses a pid again. Elsewhere than on Linux there is nothing here.
 */
import type { KernelFiles } from "../host/KernelFiles.ts"

/**
 * A process that has started another and ended between the list of pids and its turn to be read hides that one, so who
 * is new is read until a list has no new one; on a machine that starts processes all the time, in so many lists.
 */
const LOOKS = 10

/** A process, or the zombie of one. */
export interface Entry {
  readonly pid: number
  /** One letter: `Z` is a zombie. */
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Its start: hundredths of a second since the boot. */
  readonly start: number
}

/** The processes that this one can see. */
export interface ProcessTable {
  /** The process with this pid now, be it a zombie. */
  readonly find: (pid: number) => Entry | undefined
  readonly all: () => ReadonlyArray<Entry>
  /** The time now, in the unit of `start`; 0 where that is not known. */
  readonly now: () => number
}

/** Reads them from /proc. */
export const make = ({ read, list }: Pick<KernelFiles, "read" | "list">): ProcessTable => {
  const find = (pid: number): Entry | undefined => {
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
  const all = (): ReadonlyArray<Entry> => {
    const [seen, found]: [Set<number>, Array<Entry>] = [new Set(), []]
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const pids = list("/proc")
        .map(Number)
        .filter((pid) => pid > 0 && !seen.has(pid))
      if (pids.length === 0) break
      for (const pid of pids) {
        seen.add(pid)
        const entry = find(pid)
        if (entry !== undefined) found.push(entry)
      }
    }
    return found
  }
  return {
    find,
    all,
    // Rounded: 40417.52 times 100 is a little less than the number that a process has which starts now.
    now: () => Math.round(Number.parseFloat(read("/proc/uptime") || "0") * 100),
  }
}
