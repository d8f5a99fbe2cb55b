/** The working directory of this process, also one that does not exist any more: starts in it fail, and only they. */
import * as fs from "node:fs"
import process from "node:process"

/** Its absolute path. Of a folder that was removed, its last name. */
export const current = (): string => {
  try {
    return process.cwd()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    return removed() ?? process.env["PWD"] ?? "/"
  }
}

const removed = (): string | undefined => {
  try {
    return fs.readlinkSync("/proc/self/cwd").replace(/ \(deleted\)$/, "")
  } catch {
    return undefined
  }
}
