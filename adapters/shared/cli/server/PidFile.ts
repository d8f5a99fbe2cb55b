/**
 * Which process the server of one's own is: its pid and when that began, so that a number which the system uses again
 * is never signalled.
 */
import * as fs from "node:fs"
import { join } from "node:path"
import process from "node:process"
import * as OsError from "../../host/OsError.ts"
import * as ProcessTable from "../../process/ProcessTable.ts"

const fileIn = (folder: string): string => join(folder, "server.pid")

/** Notes the pid of a process that runs. */
export const write = (folder: string, pid: number): void => {
  const unfinished = `${fileIn(folder)}.new`
  fs.writeFileSync(unfinished, `${pid} ${beginOf(pid)}\n`, { mode: 0o600 })
  fs.renameSync(unfinished, fileIn(folder))
}

/** The pid that was noted, if that process still runs. */
export const read = (folder: string): number | undefined => {
  const [pid = 0, begin = ""] = textOf(fileIn(folder)).trim().split(" ")
  return Number(pid) > 1 && begin !== "" && beginOf(Number(pid)) === begin ? Number(pid) : undefined
}

/** Why it cannot be known when a process began, as on Deno without all permissions; undefined if it can. */
export const denial = (): string | undefined => {
  try {
    beginOf(process.pid)
    return undefined
  } catch (cause) {
    return OsError.fromUnknown(cause).message
  }
}

/**
 * When a process began, in the unit of the kernel; empty for one that has ended, be it a zombie. Where there is no
 * /proc, the pid alone has to do.
 */
const beginOf = (pid: number): string => {
  if (!fs.existsSync("/proc/self/stat")) return hasProcess(pid) ? "-" : ""
  const found = ProcessTable.make({ read: textOf, list: () => [] }).find(pid)
  return found === undefined || found.state === "Z" ? "" : String(found.start)
}

const hasProcess = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

const textOf = (file: string): string => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
