/**
 * Which process the server of one's own is: its pid and when that began, so that a number which the system uses again
 * is never signalled.
 */
import * as fs from "node:fs"
import { join } from "node:path"
import { beginOf } from "../../process/ProcessBegin.ts"

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

const textOf = (file: string): string => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
