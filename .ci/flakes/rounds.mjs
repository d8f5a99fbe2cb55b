// @ts-check
// One round of tests, and what all rounds come to.
import { spawn } from "node:child_process"
import { closeSync, existsSync, openSync, readFileSync } from "node:fs"
import { relative } from "node:path"
import { root, vitestOn } from "../setup.mjs"

/** @import { Runtime } from "../setup.mjs" */

/** @typedef {{ file: string, test: string, message: string }} Failure */
/** @typedef {{ files: string[], tests: number, failures: Failure[], seconds: number, log: string }} Result */
/**
 * What vitest writes for `--reporter=json`, as far as it is used.
 * @typedef {object} Report
 * @property {number} numTotalTests
 * @property {Array<{ name: string, status: string, message: string, assertionResults: Array<{
 *   fullName: string, status: string, failureMessages: string[] }> }>} testResults
 */

/**
 * Plays a round; undefined if it was ended because the time is over.
 * @param {{ number: number, files: readonly string[], runtime: Runtime, folder: string, until: number }} options
 * @returns {Promise<Result | undefined>}
 */
export const round = async ({ number, files, runtime, folder, until }) => {
  const begun = Date.now()
  if (begun >= until) return undefined
  const log = `${folder}/round-${number}.log`
  const json = `${folder}/round-${number}.json`
  const output = openSync(log, "w")
  const [command, words] = vitestOn(runtime, files)
  const reporting = [
    "--passWithNoTests",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${json}`,
  ]
  const child = spawn(command, [...words, ...reporting], {
    cwd: root,
    detached: true,
    stdio: ["ignore", output, output],
  })
  const stop = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL")
  const timer = until === Infinity ? undefined : setTimeout(stop, until - begun)
  const forward = () => {
    stop()
    process.exit(130)
  }
  process.once("SIGINT", forward).once("SIGTERM", forward)
  const code = await new Promise((resolve) => child.once("close", resolve))
  process.off("SIGINT", forward).off("SIGTERM", forward)
  clearTimeout(timer)
  closeSync(output)
  if (code === null && Date.now() >= until) return undefined
  const seconds = Math.round((Date.now() - begun) / 1000)
  return { ...outcome(json, code), seconds, log: relative(root, log) }
}

/** @param {string} json @param {unknown} code @returns {Pick<Result, "files" | "tests" | "failures">} */
const outcome = (json, code) => {
  const broken = { file: "vitest", test: `ends with ${code}`, message: "its log says more" }
  if (!existsSync(json)) return { files: [], tests: 0, failures: code === 0 ? [] : [broken] }
  /** @type {Report} */
  const report = JSON.parse(readFileSync(json, "utf8"))
  const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name)
    const failed = assertionResults
      .filter((each) => each.status === "failed")
      .map((each) => ({ file, test: each.fullName, message: each.failureMessages.join("\n") }))
    return failed.length === 0 && status === "failed" ? [{ file, test: "the file itself", message }] : failed
  })
  return {
    files: report.testResults.map(({ name }) => relative(root, name)),
    tests: report.numTotalTests,
    // An error outside of the tests, such as an unhandled rejection.
    failures: failures.length === 0 && code !== 0 ? [broken] : failures,
  }
}

/** Counts rounds and failures for each file and test. */
export const tally = () => {
  /** @type {Map<string, { rounds: number, failed: number }>} */
  const files = new Map()
  /** @type {Map<string, number>} */
  const tests = new Map()
  let rounds = 0
  /** @param {string} file */
  const of = (file) => {
    const known = files.get(file) ?? { rounds: 0, failed: 0 }
    files.set(file, known)
    return known
  }
  return {
    /** @param {Result} result */
    add: ({ files: played, failures }) => {
      rounds += 1
      for (const file of played) of(file).rounds += 1
      for (const file of new Set(failures.map(({ file }) => file))) of(file).failed += 1
      for (const { file, test } of failures) {
        const name = `${file} > ${test}`
        tests.set(name, (tests.get(name) ?? 0) + 1)
      }
    },
    failed: () => tests.size > 0,
    text: () => {
      const steady = [...files.values()].filter(({ failed }) => failed === 0).length
      const lines = [...tests]
        .sort(([, a], [, b]) => b - a)
        .map(([name, failed]) => `${String(failed).padStart(6)} of ${rounds}  ${name}\n`)
      return `\n${files.size} files, ${rounds} rounds: ${steady} files passed each time\n${lines.join("")}`
    },
  }
}
