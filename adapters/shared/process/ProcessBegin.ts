/**
 * The start of a process, which names it together with its pid: the system uses a number again.
 *
 * Without /proc the pid alone has to do.
 */
import * as fs from "node:fs"
import process from "node:process"
import * as KernelFiles from "../host/KernelFiles.ts"
import * as OsError from "../host/OsError.ts"
import * as ProcessTable from "./ProcessTable.ts"

/** In the unit of the kernel, `-` where that is not known; empty for a process that has ended, be it a zombie. */
export const beginOf = (pid: number): string => {
  if (!fs.existsSync("/proc/self/stat")) return hasProcess(pid) ? "-" : ""
  const found = ProcessTable.make(KernelFiles.node).find(pid)
  return found === undefined || found.state === "Z" ? "" : String(found.start)
}

/** The pid, if that process runs and began then. */
export const running = (pid: number, begin: string): number | undefined =>
  pid > 1 && begin !== "" && beginOf(pid) === begin ? pid : undefined

/** The reason why the begin of a process is unknown, as on Deno without all permissions; undefined if it is known. */
export const denial = (): string | undefined => {
  try {
    return beginOf(process.pid) === "" ? "/proc does not show this process" : undefined
  } catch (cause) {
    return OsError.fromUnknown(cause).message
  }
}

const hasProcess = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}
