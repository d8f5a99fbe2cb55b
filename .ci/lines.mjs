// @ts-check
// Fails if a line of a source or a README is wider than 120 columns. Excepted are lines that cannot be wrapped: rows of
// tables, a link or another single word, and one string literal, which the formatter puts on a line of its own.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { root } from "./setup.mjs"

const widest = 120

const tableRow = /^\s*\|/
const singleWord = /^\s*(?:[-*>]\s+|\/\/\s+|\*\s+)?\S+$/
const singleLiteral = /^\s*(?:["\w]+: |\w+\(|return |\? |: |\+ )?(["'`/]).*\1[a-z]*[,;)]*(?: \+)?$/

/** @param {string} file */
const isSource = (file) => !file.endsWith(".md")

/** @param {string} file @param {string} line */
const mayBeWide = (file, line) =>
  singleWord.test(line) || (isSource(file) ? singleLiteral.test(line) : tableRow.test(line))

const files = execFileSync("git", ["ls-files", "*.ts", "*.mjs", "*.md"], { cwd: root, encoding: "utf8" })
const wide = files
  .trim()
  .split("\n")
  .flatMap((file) =>
    readFileSync(`${root}${file}`, "utf8")
      .split("\n")
      .flatMap((line, index) =>
        [...line].length > widest && !mayBeWide(file, line)
          ? [`${file}:${index + 1}: ${[...line].length} columns`]
          : [],
      ),
  )
if (wide.length > 0) {
  process.stderr.write(`${wide.join("\n")}\nno line may be wider than ${widest} columns\n`)
  process.exit(1)
}
