/** The epoch of a host of a fleet: a number in a file, which is replaced as a whole before it is used. */
import * as fs from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import process from "node:process"
import * as Folders from "../host/Folders.ts"

/** The folder for the state of this user. */
export const usualFolder = (env: NodeJS.ProcessEnv): string => {
  const base = env["XDG_STATE_HOME"] ?? ""
  return join(isAbsolute(base) ? base : join(homedir(), ".local", "state"), "procwire")
}

/** The next number: above `above`, and above the last one. Throws if it cannot be kept. */
export const next = (folder: string, hostId: string, above: number): number => {
  Folders.make(folder, 0o700)
  const file = join(folder, `epoch-${encodeURIComponent(hostId)}`)
  const epoch = Math.max(above, last(file)) + 1
  const unfinished = `${file}.${process.pid}`
  const fd = fs.openSync(unfinished, "w", 0o600)
  try {
    fs.writeSync(fd, `${epoch}\n`)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
  fs.renameSync(unfinished, file)
  return epoch
}

/** 0 where there is none, or no number. */
const last = (file: string): number => {
  const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : ""
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}
