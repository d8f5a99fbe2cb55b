// @ts-check
// A copy of the tree in which one line is wrong at a time, and the tests and cases that may notice it.
import { spawn } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { procwire } from "../../../.ci/procwire.mjs"
import { root } from "../../../.ci/setup.mjs"
import { command } from "../run/ours.mjs"

/** @import { Mutation } from "./mutation.mjs" */

/** @typedef {ReturnType<typeof make>} Scratch */

/** Far more than a suite takes, in milliseconds: a mutation that makes it hang is noticed, too. */
const patience = { tests: 120_000, cases: 400_000 }

const notCopied = new Set(["node_modules", "dist", ".git", ".cache"])

/** Folders that no server runs: what is wrong there cannot be seen on the wire. */
const clientSide = ["core/client/", "core/agent/", "adapters/shared/agent/", "adapters/shared/mcp/"]

/** Copies the tree, without any build but the wire suite. */
const copyTree = () => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-mutations-"))
  for (const name of readdirSync(root))
    if (!notCopied.has(name)) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  for (const name of ["procwire-conformance.mjs", "lib"])
    cpSync(join(root, "dist", name), join(folder, "suite", name), { recursive: true })
  return folder
}

/** @typedef {{ status: number | null, text: string, found: RegExpExecArray | undefined }} Outcome */

/**
 * Runs a script of Node in the copy until it ends, or until its output matches.
 * @param {string} folder
 * @param {RegExp} pattern
 * @param {number} millis
 * @param {readonly string[]} args
 * @returns {Promise<Outcome>}
 */
const play = (folder, pattern, millis, args) =>
  new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined }
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    })
    // The whole group: a mutation may make a worker of the test runner loop for ever.
    const stop = () => {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
        process.kill(-child.pid, "SIGKILL")
    }
    let text = ""
    /** @type {RegExpExecArray | undefined} */
    let found
    const timer = setTimeout(stop, millis)
    process.once("exit", stop)
    /** @param {Buffer} bytes */
    const look = (bytes) => {
      text += bytes.toString()
      if (found !== undefined) return
      found = pattern.exec(text) ?? undefined
      if (found !== undefined) stop()
    }
    child.stdout.on("data", look)
    child.stderr.on("data", look)
    child.on("close", (status) => {
      clearTimeout(timer)
      process.off("exit", stop)
      resolve({ status, text, found })
    })
  })

/**
 * Builds the server of the copy.
 * @param {string} folder
 * @returns {Promise<string | undefined>} what is wrong if it cannot be built
 */
const buildServer = (folder) =>
  procwire(folder, { logLevel: "silent" }).then(
    () => undefined,
    (error) => `does not build: ${String(error).split("\n")[1] ?? error}`,
  )

/**
 * A test or case that fails with a mutation.
 * @typedef {object} Notice
 * @property {string} by
 * @property {string} what is run again to confirm it
 * @property {() => Promise<string | undefined>} again runs it; undefined if it passes
 */

/**
 * Runs tests. Those of adapters may start the server that is built.
 * @param {string} folder
 * @param {readonly string[]} files or folders of tests
 * @returns {Promise<string | undefined>} what fails
 */
const runTests = async (folder, files) => {
  const broken = files.some((file) => file.startsWith("adapters/")) ? await buildServer(folder) : undefined
  if (broken !== undefined) return broken
  const flags = ["--bail=1", "--passWithNoTests", "--reporter=verbose", "--testTimeout=20000"]
  const words = ["node_modules/vitest/vitest.mjs", "run", ...flags, ...files]
  const ran = await play(folder, /(?:×|FAIL) +(.*)\n/, patience.tests, words)
  if (ran.found !== undefined) return ran.found[1]?.replace(/ \d+ms\b/, "").trim()
  return ran.status === 0 ? undefined : `${files.join(", ")} ended with ${ran.status}`
}

/**
 * What tests say is wrong.
 * @param {string} folder
 * @param {readonly string[]} files or folders of tests
 * @returns {Promise<Notice | undefined>}
 */
const testsCatch = async (folder, files) => {
  if (files.length === 0) return undefined
  const by = await runTests(folder, files)
  if (by === undefined) return undefined
  const failed = /\S+\.test\.ts/.exec(by) ?? files
  return { by, what: failed.join(" "), again: () => runTests(folder, failed) }
}

/**
 * @param {string} folder
 * @param {readonly string[]} words what to play; all if there are none
 * @returns {Promise<{ by: string, again: readonly string[] } | undefined>} what fails, and the words for it
 */
const runCases = async (folder, words) => {
  const broken = await buildServer(folder)
  if (broken !== undefined) return { by: broken, again: words }
  const server = await command(join(folder, "dist/procwire.mjs"))
  const failure = /^FAIL (\S+) \(\w+, (\w+).*\n.*\n.*\n/m
  const flags = ["--command", server, "--strict", "--level", "should"]
  const { found, status, text } = await play(folder, failure, patience.cases, [
    "suite/procwire-conformance.mjs",
    ...flags,
    ...words,
  ])
  const [, id = "", transport = ""] = found ?? []
  if (found) return { by: `${id} over ${transport}`, again: ["--transports", transport, id] }
  return status === 0
    ? undefined
    : { by: `the wire suite ended with ${status}: ${text.slice(-300)}`, again: words }
}

/**
 * What the wire suite says is wrong.
 * @param {string} folder
 * @param {readonly string[]} globs of cases; all if there are none
 * @returns {Promise<Notice | undefined>}
 */
const casesCatch = async (folder, globs) => {
  const failed = await runCases(folder, globs)
  if (failed === undefined) return undefined
  const { by, again } = failed
  return { by, what: again.join(" "), again: async () => (await runCases(folder, again))?.by }
}

/**
 * The tests near a file: its own, if there are such.
 * @param {string} folder
 * @param {Mutation} mutation
 * @returns {readonly string[]}
 */
const near = (folder, { file, tests }) => {
  const own = file.replace(/\.ts$/, ".test.ts")
  return tests ?? (existsSync(join(folder, own)) ? [own] : [])
}

/**
 * The tests around a file of core: those of its module, `core/server` for `core/server/handlers/fs.ts`.
 * @param {Mutation} mutation
 * @returns {readonly string[]}
 */
const around = ({ file }) => (file.startsWith("core/") ? [file.split("/").slice(0, 2).join("/")] : [])

/**
 * What may notice a mutation, from near to far.
 * @param {string} folder
 * @param {Mutation} mutation that was made in this copy
 * @param {boolean} testsOnly
 * @returns {readonly (() => Promise<Notice | undefined>)[]}
 */
const stages = (folder, mutation, testsOnly) => {
  const tests = [near(folder, mutation), around(mutation)].map((files) => () => testsCatch(folder, files))
  if (testsOnly || clientSide.some((one) => mutation.file.startsWith(one))) return tests
  const globs = mutation.cases.length > 0 ? [mutation.cases, []] : [[]]
  return [...tests, ...globs.map((some) => () => casesCatch(folder, some))]
}

/** A copy of the tree. */
export const make = () => {
  const folder = copyTree()
  /** What is known to pass without a mutation. */
  const sound = new Set()
  return {
    /**
     * Makes a line wrong. The test, case or build that fails then, does so again, and does not without the mutation: a
     * busy machine can make a deadline pass.
     * @param {Mutation} mutation
     * @param {boolean} testsOnly
     */
    noticedBy: async (mutation, testsOnly) => {
      const path = join(folder, mutation.file)
      const right = readFileSync(path, "utf8")
      const wrong = right.replace(mutation.find, () => mutation.replace)
      try {
        writeFileSync(path, wrong)
        for (const stage of stages(folder, mutation, testsOnly)) {
          let notice = await stage()
          // Once more: what failed by a deadline may have hidden what fails because of the mutation.
          if (notice !== undefined && (await notice.again()) === undefined) notice = await stage()
          if (notice === undefined || (await notice.again()) === undefined) continue
          if (sound.has(notice.what)) return notice.by
          writeFileSync(path, right)
          const broken = await notice.again()
          if (broken === undefined) {
            sound.add(notice.what)
            return notice.by
          }
          process.stderr.write(`fails without a mutation: ${broken}\n`)
          writeFileSync(path, wrong)
        }
        return undefined
      } finally {
        writeFileSync(path, right)
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
