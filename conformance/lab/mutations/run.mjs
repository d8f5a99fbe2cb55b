// @ts-check
// `npm run mutations`: makes one line of a copy of the tree wrong at a time, and looks which suite notices.
//
// For each mutation the tests near the file run, then those of its folder, then the cases that should know, then the
// whole wire suite (by the untouched bundle), until something fails. Several copies are tried at the same time. The
// exit code is 1 if too many survive, or if one does not apply. Arguments choose by file or sentence.
//
//   --check            runs nothing: fails if a mutation does not apply to the sources
//   --tests            plays no wire suite
//   --resume=FILE      adds each outcome to FILE, and leaves out what FILE says was noticed
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { command } from "../../../.ci/command.mjs"
import { build, install, root } from "../../../.ci/setup.mjs"
import { all, fault } from "./all.mjs"
import * as Scratch from "./scratch.mjs"

/** The share of the mutations that must be noticed. */
const required = 0.95

/** @import { Mutation } from "./mutation.mjs" */

const {
  values: { check, tests: testsOnly, resume },
  positionals: words,
} = command(import.meta.url, {
  options: {
    check: { type: "boolean", default: false },
    tests: { type: "boolean", default: false },
    resume: { type: "string" },
  },
  allowPositionals: true,
})
const wanted = all.filter(
  ({ file, says }) => words.length === 0 || words.some((word) => file.includes(word) || says.includes(word)),
)

install()
build()
const { cases } = await import("../../../dist/conformance/suite/cases/index.js")

const outdated = wanted.flatMap((mutation) => {
  const why = fault(mutation, root, cases)
  return why === undefined ? [] : [`OUTDATED ${mutation.file}: ${mutation.says} (${why})\n`]
})
process.stdout.write(outdated.join(""))
if (check) {
  process.stdout.write(`${wanted.length - outdated.length} of ${wanted.length} mutations apply\n`)
  process.exit(outdated.length > 0 ? 1 : 0)
}

/** @param {Mutation} mutation */
const nameOf = ({ file, says }) => `${file}: ${says}`
const noted = resume !== undefined && existsSync(resume) ? readFileSync(resume, "utf8").split("\n") : []
const alreadyCaught = new Set(noted.flatMap((line) => /^caught +(.*?)(?: \| .*)$/.exec(line)?.[1] ?? []))
const applying = wanted.filter((mutation) => fault(mutation, root, cases) === undefined)
const current = applying.filter((mutation) => !alreadyCaught.has(nameOf(mutation)))
const copies = Array.from({ length: Math.min(availableParallelism(), current.length) }, Scratch.make)
process.on("exit", () => copies.forEach(({ remove }) => remove()))
process.on("SIGINT", () => process.exit(130)).on("SIGTERM", () => process.exit(143))

process.stdout.write(`${current.length} of ${applying.length} are to come\n`)
/** @type {string[]} */
const survivors = []
const queue = current.values()
/** @param {Scratch.Scratch} copy */
const work = async (copy) => {
  for (const mutation of queue) {
    const name = nameOf(mutation)
    const began = performance.now()
    const noticed = await copy.noticedBy(mutation, testsOnly)
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    if (noticed === undefined) survivors.push(name)
    const line = noticed === undefined ? `SURVIVED ${name}` : `caught   ${name} | by ${noticed}`
    process.stdout.write(`${line} (${seconds} s)\n`)
    if (resume !== undefined) appendFileSync(resume, `${line}\n`)
  }
}
await Promise.all(copies.map(work))

const caught = applying.length - survivors.length
process.stdout.write(
  [
    "",
    `${caught} of ${applying.length} caught, ${survivors.length} survived, ${outdated.length} outdated`,
    ...survivors.map((name) => `SURVIVED ${name}`),
    "",
  ].join("\n"),
)
process.exit(outdated.length > 0 || caught < applying.length * required ? 1 : 0)
