// @ts-check
// The guards of the invariants (core/README.md) and of the threats (SECURITY.md). A row of their tables begins with a
// tag, and `// guards: TAG, TAG` stands above or inside the tests, the checks of the simulation and the cases that
// guard it. Fails if no test file has the tag of a row, and if a comment has a tag that no row has.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { root } from "./setup.mjs"

/** The files that git knows, which are there. @param {readonly string[]} patterns */
const filesOf = (...patterns) =>
  execFileSync("git", ["ls-files", ...patterns], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((file) => existsSync(`${root}${file}`))

/** The matches in a file of a pattern with one group. @param {string} file @param {RegExp} pattern */
const found = (file, pattern) =>
  [...readFileSync(`${root}${file}`, "utf8").matchAll(pattern)].map(([, group = ""]) => group)

/** The tags of the rows of the tables whose first column is called `tag`, with the file of each. */
const rows = new Map(
  ["core/README.md", "SECURITY.md"].flatMap((file) =>
    found(file, /^\| tag \|.*\n((?:\|.*\n)+)/gm).flatMap((table) =>
      [...table.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, tag = ""]) => [tag, file]),
    ),
  ),
)

/** The tags of the comments, with the files that have them. @type {Map<string, string[]>} */
const guards = new Map()
for (const file of filesOf("*.ts", "*.mjs"))
  for (const tag of found(file, /^ *\/\/ guards: (.+)$/gm).flatMap((list) => list.split(/, */)))
    guards.set(tag, [...(guards.get(tag) ?? []), file])

const wrong = [
  ...[...rows]
    .filter(([tag]) => !guards.get(tag)?.some((file) => file.endsWith(".test.ts")))
    .map(([tag, file]) => `${file}: no test has the comment "// guards: ${tag}"`),
  ...[...guards]
    .filter(([tag]) => !rows.has(tag))
    .map(([tag, files]) => `${files.join(", ")}: no table has the tag ${tag}`),
]
process.stdout.write(`${rows.size} invariants and threats, ${[...guards.values()].flat().length} guards\n`)
if (rows.size === 0 || wrong.length > 0) {
  process.stderr.write(`${wrong.join("\n")}\n`)
  process.exit(1)
}
