/** What Linux's /proc tells about this process; elsewhere cases that need it are skipped. */
import { existsSync, readdirSync, readFileSync } from "node:fs"

/** Of Linux, as /proc shows it. */
const O_CLOEXEC = 0o2000000

export const available: boolean = existsSync("/proc/self/fd") && existsSync("/proc/self/stat")

/** How many descriptors this process has open. */
export const descriptors = (): number => readdirSync("/proc/self/fd").length

/** How many children of this process have ended and were not reaped. */
export const zombies = (): number => children().filter((state) => state === "Z").length

/** How many processes have this process as their parent. */
export const childCount = (): number => children().length

/**
 * Descriptors above 2 that this process was given by its own parent and passes on: no spawner has opened
 * them, and one over `node:child_process` cannot close them.
 */
export const inherited: ReadonlyArray<number> = available
  ? readdirSync("/proc/self/fd")
      .map(Number)
      .filter((fd) => fd > 2 && passedOn(fd))
  : []

function passedOn(fd: number): boolean {
  const [, flags] = /^flags:\s*(\d+)/m.exec(read(`/proc/self/fdinfo/${fd}`)) ?? []
  return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0
}

const children = (): ReadonlyArray<string> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const [, state, parent] = /^.*\) (\S) (\d+)/s.exec(read(`/proc/${name}/stat`)) ?? []
      return state !== undefined && Number(parent) === process.pid ? [state] : []
    })

function read(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
