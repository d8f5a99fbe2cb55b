/**
 * The output of the server of one's own, its addresses and links to its page: a file beside its socket that only its
 * user may read. A link is taken out of the file when it is told, so that none waits there for another reader.
 */
import * as fs from "node:fs"
import { join } from "node:path"
import process from "node:process"

/** The file of the server that runs. */
export const fileIn = (folder: string): string => join(folder, "server.out")

/** The file of a server that this process starts, until it listens: of two that start at once only one will. */
export const unfinishedIn = (folder: string): string => `${fileIn(folder)}.${process.pid}`

/** Whether a server has printed a line, which it does when it listens. */
export const isBegun = (file: string): boolean => linesOf(file).length > 0

/** Whether the server that runs has a page: it listens for browsers. */
export const hasPage = (folder: string): boolean =>
  linesOf(fileIn(folder)).some((line) => /^wss?:/.test(line))

/** Takes the last link out of the file; undefined if none is there. */
export const takeLink = (folder: string): string | undefined => {
  const lines = linesOf(fileIn(folder))
  const begin = lines.findIndex(isLink)
  if (begin < 0) return undefined
  // The server appends, wherever the file ends.
  fs.truncateSync(fileIn(folder), lines.slice(0, begin).join("").length)
  return lines.filter(isLink).at(-1)?.trimEnd()
}

const isLink = (line: string): boolean => /^https?:/.test(line)

/** Its whole lines, each with its end. A path of a socket may have any character, hence bytes as characters. */
const linesOf = (file: string): ReadonlyArray<string> => {
  try {
    return fs.readFileSync(file, "latin1").match(/.*\n/g) ?? []
  } catch {
    return []
  }
}
