// @ts-check
// The counts of the tests of a run, over all of its processes. A run has a folder, named by TEST_TALLY, into
// which each process puts a file; the process that has started the run adds them up.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join, relative } from "node:path"
import process from "node:process"
import { missing } from "./debian.mjs"
import { root } from "./setup.mjs"

/** @import { Reporter, SerializedError, TestModule } from "vitest/node" */

/**
 * A test that has failed; `file` can be given to `npm test`.
 * @typedef {{ runtime: string, file: string, test: string, message: string }} Failure
 *
 * `wanted` has how many were skipped for want of a program, by its name.
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {Record<string, number>} wanted
 * @property {Failure[]} failures
 */

/** @returns {Tally} */
const none = () => ({ passed: 0, failed: 0, skipped: 0, wanted: {}, failures: [] })

/** Every failure of this checkout, a line of JSON each: what `npm run test:all -- --flaky` plays. Git ignores it. */
export const failuresFile = join(root, ".cache", "failures.jsonl")

/** The folder of this run. It is made here if no process above has made one. */
export const folder = () => {
  const named = process.env["TEST_TALLY"]
  if (named !== undefined) return named
  mkdirSync(join(root, ".cache"), { recursive: true })
  const made = mkdtempSync(join(root, ".cache", "tally-"))
  process.env["TEST_TALLY"] = made
  process.on("exit", () => rmSync(made, { recursive: true, force: true }))
  return made
}

let notes = 0

/** Adds to the run, if there is one. @param {Partial<Tally>} tally */
export const note = (tally) => {
  const into = process.env["TEST_TALLY"]
  if (into === undefined || !existsSync(into)) return
  writeFileSync(join(into, `${process.pid}-${(notes += 1)}.json`), JSON.stringify({ ...none(), ...tally }))
}

/** Everything that was noted in this run until now. @returns {Tally} */
export const sum = () => {
  const total = none()
  for (const name of readdirSync(folder())) {
    /** @type {Tally} */
    const one = JSON.parse(readFileSync(join(folder(), name), "utf8"))
    total.passed += one.passed
    total.failed += one.failed
    total.skipped += one.skipped
    total.failures.push(...one.failures)
    for (const [program, count] of Object.entries(one.wanted))
      total.wanted[program] = (total.wanted[program] ?? 0) + count
  }
  return total
}

/**
 * The last lines of a run: what was skipped for want of programs, what failed, and the counts.
 * @param {Tally} tally
 */
export const summary = ({ passed, failed, skipped, wanted, failures }) => {
  const lacking = Object.entries(wanted).map(([program, count]) => `${program} (${count})`)
  return [
    ...failures.map(({ runtime, file, test }) => `FAILED on ${runtime}: ${file} > ${test}\n`),
    ...(lacking.length > 0 ? [`skipped because this machine has no ${lacking.join(", ")}\n`] : []),
    `${passed} passed, ${failed} failed, ${skipped} skipped\n`,
  ].join("")
}

const runtime = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node"

/** Counts what vitest plays. @implements {Reporter} */
export class Tallying {
  /** @param {readonly TestModule[]} modules @param {readonly SerializedError[]} errors */
  onTestRunEnd(modules, errors) {
    const tally = none()
    const lacking = new Set(missing())
    /** @param {string} file @param {string} test @param {string} message */
    const fail = (file, test, message) => {
      tally.failed += 1
      tally.failures.push({ runtime, file, test, message })
    }
    for (const module of modules) {
      const file = relative(root, module.moduleId)
      for (const test of module.children.allTests()) {
        const { state, errors: why } = test.result()
        if (state === "failed") fail(file, test.fullName, why?.[0]?.message ?? "")
        else if (state === "passed") tally.passed += 1
        else {
          tally.skipped += 1
          for (const tag of test.tags) if (lacking.has(tag)) tally.wanted[tag] = (tally.wanted[tag] ?? 0) + 1
        }
      }
      for (const { message } of module.errors()) fail(file, "the file itself", message)
    }
    for (const { message } of errors) fail("", "an error outside of the tests", message)
    note(tally)
    if (tally.failures.length === 0) return
    mkdirSync(join(root, ".cache"), { recursive: true })
    const at = new Date().toISOString()
    appendFileSync(
      failuresFile,
      tally.failures.map((failure) => `${JSON.stringify({ at, ...failure })}\n`).join(""),
    )
  }
}

// As a program it prints the last lines of a run.
if (process.argv[1] === import.meta.filename) process.stdout.write(`\n${summary(sum())}`)
