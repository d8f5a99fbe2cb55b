/**
 * The hosts of the user's configuration of ssh: the names of its `Host` lines, without patterns. Included files count.
 *
 * ssh itself says what a name leads to; here is only read what names there are.
 */
import * as fs from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, isAbsolute, join } from "node:path"
import type { Env } from "./OwnFolder.ts"

/** The variable that names a file in the place of `~/.ssh/config`. */
export const variable = "PROCWIRE_SSH_CONFIG"

/** What ssh is told of that file. */
export const flags = (env: Env): ReadonlyArray<string> => (env[variable] ? ["-F", env[variable]] : [])

/** How deep files include others at most, as for ssh itself. */
const mostIncludes = 16

/** The names, in the order of the file; none where there is no such file. */
export const hosts = (env: Env): ReadonlyArray<string> => [
  ...new Set(namesIn(env[variable] || join(homedir(), ".ssh", "config"), 0)),
]

const namesIn = (file: string, depth: number): ReadonlyArray<string> =>
  depth > mostIncludes
    ? []
    : linesOf(file).flatMap((line) => {
        const [, keyword = "", rest = ""] = /^\s*(\w+)(?:\s*=\s*|\s+)(.*)$/.exec(line) ?? []
        const words = [...rest.matchAll(/"([^"]*)"|([^\s"]+)/g)].map(
          ([, quoted, plain]) => quoted ?? plain ?? "",
        )
        if (keyword.toLowerCase() === "host") return words.filter(isName)
        if (keyword.toLowerCase() !== "include") return []
        return words.flatMap(included).flatMap((each) => namesIn(each, depth + 1))
      })

/** What is no pattern, and can stand behind `ssh://`. */
const isName = (word: string): boolean => /^[A-Za-z0-9_][\w.-]*$/.test(word)

const linesOf = (file: string): ReadonlyArray<string> => {
  try {
    return fs.readFileSync(file, "utf8").split("\n")
  } catch {
    return []
  }
}

/** The files that a word of `Include` means; `*` and `?` are read in the name of the file. */
const included = (word: string): ReadonlyArray<string> => {
  const home = word.replace(/^~(?=\/)/, homedir())
  const path = isAbsolute(home) ? home : join(homedir(), ".ssh", home)
  if (!/[*?]/.test(basename(path))) return [path]
  const pattern = basename(path)
    .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".")
  return namesOf(dirname(path))
    .filter((name) => new RegExp(`^${pattern}$`).test(name))
    .map((name) => join(dirname(path), name))
}

const namesOf = (folder: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(folder).sort()
  } catch {
    return []
  }
}
