// @ts-check
// A copy of the tree with one fault in it, and the tests and cases that are played on it.
import { spawn } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { procwire } from "../../../.ci/procwire.mjs"
import { root } from "../../../.ci/setup.mjs"
import { plant } from "./syntax.mjs"

/**
 * @import { Fault } from "./fault.mjs"
 *
 * @typedef {ReturnType<typeof make>} Copy
 */

/** Far more than tests take, in milliseconds: a fault that makes them hang is noticed, too. */
const patience = 240_000

/** The longest wait of a case, in milliseconds, where all is well within a second. */
const caseMillis = 20_000

const notCopied = new Set(["node_modules", "dist", ".git", ".cache"])

/** The files that a build of the server replaces. */
const built = new Set(["procwire.cjs", "procwire-parts"])

const copyTree = () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "procwire-faults-"))
  for (const name of readdirSync(root))
    if (!notCopied.has(name)) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  mkdirSync(join(folder, "dist"))
  for (const name of readdirSync(join(root, "dist")))
    if (!built.has(name)) symlinkSync(join(root, "dist", name), join(folder, "dist", name))
  return folder
}

/**
 * The tests that must notice a fault: those that it names, its file's own, or those in the folder of its file.
 * @param {Fault} fault
 * @returns {readonly string[]}
 */
export const testsOf = ({ file, tests }) => {
  const own = file.replace(/\.ts$/, ".test.ts")
  return tests ?? [existsSync(join(root, own)) ? own : dirname(file)]
}

/**
 * Builds the server of a copy.
 * @param {string} folder
 * @returns {Promise<string | undefined>} what is wrong if it cannot be built
 */
const build = (folder) =>
  procwire(folder, { logLevel: "silent" }).then(
    () => undefined,
    (error) => `does not build: ${String(error).split("\n")[1] ?? error}`,
  )

/**
 * Runs vitest in a copy until something fails.
 * @param {string} folder
 * @param {readonly string[]} tests
 * @returns {Promise<string | undefined>} what fails
 */
const failingTest = (folder, tests) =>
  new Promise((resolve) => {
    const flags = ["--bail=1", "--passWithNoTests", "--reporter=verbose", "--testTimeout=60000"]
    const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...flags, ...tests], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
      // Its group is killed as a whole: a fault may make a worker of vitest loop for ever.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    })
    const stop = () => {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
        process.kill(-child.pid, "SIGKILL")
    }
    process.once("exit", stop)
    const timer = setTimeout(stop, patience)
    let text = ""
    /** @param {Buffer} bytes */
    const look = (bytes) => {
      text += bytes.toString()
      if (/(?:×|FAIL) .*\n/.test(text)) stop()
    }
    child.stdout.on("data", look)
    child.stderr.on("data", look)
    child.on("close", (status) => {
      clearTimeout(timer)
      process.off("exit", stop)
      const [, failed] = /(?:×|FAIL) +(.*)\n/.exec(text) ?? []
      const ended = status === 0 ? undefined : `vitest ended with ${status ?? "a signal"}`
      resolve(failed?.replace(/ \d+ms$/, "") ?? ended)
    })
  })

/**
 * @param {string} folder
 * @param {readonly string[]} tests
 */
const runTests = async (folder, tests) => {
  const usesServer = tests.some((test) => !test.startsWith("core/"))
  return (usesServer ? await build(folder) : undefined) ?? failingTest(folder, tests)
}

/**
 * Plays cases of the wire suite on the server of a copy, over its standard streams and over WebSocket.
 * @param {string} folder
 * @param {readonly string[]} globs
 * @returns {Promise<string | undefined>} what fails
 */
const runCases = async (folder, globs) => {
  const broken = await build(folder)
  if (broken !== undefined) return broken
  const { Runner, Select, Target, cases } = await import("../../../dist/conformance/index.js")
  const words = [process.execPath, join(folder, "dist/procwire.cjs"), "serve", "--listen", Target.placeholder]
  const outcomes = await Runner.run({
    cases: Select.select(cases, globs, "should").cases,
    targets: [Target.command("stdio", words), Target.command("ws", words)],
    parallel: 2,
    timeoutMs: caseMillis,
    slow: false,
    without: new Set(),
  })
  const failed = outcomes.find(({ status }) => status === "fail" || status === "unplayed")
  return failed && `${failed.case.id} over ${failed.transport}`
}

export const make = () => {
  const folder = copyTree()
  /** The tests and cases that are known to pass without a fault. */
  const sound = new Set()
  return {
    /**
     * The test or case that notices a fault: it fails with it and passes without. Undefined if there is none.
     * @param {Fault} fault
     * @returns {Promise<string | undefined>}
     */
    noticedBy: async (fault) => {
      const path = join(folder, fault.file)
      const right = readFileSync(path, "utf8")
      const { text, why } = plant(right, fault.find, fault.put)
      if (text === undefined) throw new Error(`${fault.name}: ${why}`)
      const words = fault.cases ?? testsOf(fault)
      const play = () => (fault.cases === undefined ? runTests(folder, words) : runCases(folder, words))
      try {
        writeFileSync(path, text)
        const notice = await play()
        writeFileSync(path, right)
        if (notice === undefined || sound.has(words.join())) return notice
        const unsound = await play()
        if (unsound === undefined) sound.add(words.join())
        else process.stderr.write(`fails without a fault: ${unsound}\n`)
        return unsound === undefined ? notice : undefined
      } finally {
        writeFileSync(path, right)
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
