/**
 * The words of the command line as the system has them. The runtimes replace bytes that are not UTF-8 by U+FFFD; here
 * each of them is kept as `NativePath` keeps it, where the system shows them (Linux).
 */
import * as fs from "node:fs"
import process from "node:process"
import * as NativePath from "../../../../core/protocol/NativePath.ts"

export const words = (): ReadonlyArray<string> => {
  const known = process.argv.slice(2)
  return known.some((word) => word.includes("\ufffd")) ? (raw(known.length) ?? known) : known
}

/** The names of the variables of this process that are not UTF-8, or whose values are not. */
export const illFormedVariables = (): ReadonlyArray<string> => {
  const suspect = Object.entries(process.env).some(([name, value]) => `${name}${value}`.includes("\ufffd"))
  const bad = suspect ? list("environ").filter((entry) => !NativePath.isText(entry)) : []
  return bad.map((entry) => NativePath.toText(entry.split("=", 1)[0] ?? ""))
}

/** The last words of this process. */
const raw = (count: number): ReadonlyArray<string> | undefined => {
  const all = list("cmdline")
  return all.length < count ? undefined : all.slice(all.length - count)
}

const list = (name: "cmdline" | "environ"): ReadonlyArray<string> => {
  try {
    const bytes = fs.readFileSync(`/proc/self/${name}`)
    const all: Array<string> = []
    for (let at = 0, end = bytes.indexOf(0); end >= 0; at = end + 1, end = bytes.indexOf(0, at))
      all.push(NativePath.fromBytes(bytes.subarray(at, end)))
    return all
  } catch {
    return []
  }
}
