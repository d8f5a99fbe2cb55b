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
import { basename, dirname, join } from "node:path"
import { bundle } from "../../../.ci/bundle.mjs"
import { root } from "../../../.ci/setup.mjs"
import { command } from "../run/ours.mjs"

/** @import { Mutation } from "./mutation.mjs" */

/** @typedef {ReturnType<typeof make>} Scratch */

/** Far more than a suite takes, in milliseconds: a mutation that makes it hang is noticed, too. */
const patience = { tests: 120_000, allTests: 600_000, cases: 400_000 }

const notCopied = new Set(["node_modules", "dist", ".git", ".cache"])

/** Folders that no server runs: what is wrong there cannot be seen on the wire. */
const clientSide = ["core/client/", "core/agent/", "adapters/shared/agent/", "adapters/shared/mcp/"]

/** Copies the tree, without any build but the wire suite. */
const copyTree = () => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-mutations-"))
  for (const name of readdirSync(root))
    if (!notCopied.has(name)) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  cpSync(join(root, "dist/procwire-conformance.mjs"), join(folder, "suite.mjs"))
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
      resolve({ status, text, found })
    })
  })

/**
 * Builds the server of the copy.
 * @param {string} folder
 * @returns {Promise<string | undefined>} what is wrong if it cannot be built
 */
const buildServer = (folder) =>
  bundle({
    absWorkingDir: folder,
    entryPoints: ["adapters/node/main.ts"],
    outfile: "dist/procwire.mjs",
    logLevel: "silent",
  }).then(
    () => undefined,
    (error) => `does not build: ${String(error).split("\n")[1] ?? error}`,
  )

/**
 * What tests say is wrong, once.
 * @param {string} folder
 * @param {readonly string[]} files or folders of tests
 * @param {number} millis
 * @returns {Promise<string | undefined>}
 */
const testsFail = async (folder, files, millis) => {
  const flags = ["--bail=1", "--passWithNoTests", "--reporter=verbose", "--testTimeout=20000"]
  const words = ["node_modules/vitest/vitest.mjs", "run", ...flags, ...files]
  const ran = await play(folder, /(?:×|FAIL) +(.*)\n/, millis, words)
  if (ran.found !== undefined) return ran.found[1]?.replace(/ \d+ ?ms$/, "").trim()
  return ran.status === 0
    ? undefined
    : `${files.map((file) => basename(file)).join(", ")} ended with ${ran.status}`
}

/**
 * What tests say is wrong, if they say so twice: a busy machine can make a deadline pass.
 * @param {string} folder
 * @param {readonly string[]} files or folders of tests
 * @returns {Promise<string | undefined>}
 */
const testsCatch = async (folder, files) => {
  if (files.length === 0) return undefined
  const first = await testsFail(folder, files, patience.tests)
  if (first === undefined) return undefined
  const file = /\S+\.test\.ts/.exec(first)
  return testsFail(folder, file ?? files, patience.tests)
}

/**
 * What the wire suite says is wrong, if it says so twice: a busy machine can make a deadline pass.
 * @param {string} folder
 * @param {readonly string[]} globs of cases; all if there are none
 * @returns {Promise<string | undefined>}
 */
const casesCatch = async (folder, globs) => {
  const server = await command(join(folder, "dist/procwire.mjs"))
  const words = ["suite.mjs", "--command", server, "--strict"]
  const failure = /^FAIL (\S+) \(\w+, (\w+).*\n.*\n.*\n/m
  const ran = await play(folder, failure, patience.cases, [...words, "--level", "should", ...globs])
  if (ran.found === undefined)
    return ran.status === 0 ? undefined : `the wire suite ended with ${ran.status}: ${ran.text.slice(-300)}`
  const [, id = "", transport = ""] = ran.found
  const again = await play(folder, /^FAIL /m, patience.cases, [...words, "--transports", transport, id])
  return again.status === 0 ? undefined : `${id} over ${transport}`
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
 * The tests around a file of core: those of its folder.
 * @param {Mutation} mutation
 * @returns {readonly string[]}
 */
const around = ({ file }) => (file.startsWith("core/") ? [dirname(file)] : [])

/**
 * Tries from near to far.
 * @param {string} folder
 * @param {Mutation} mutation that was made in this copy
 * @param {boolean} testsOnly
 */
const noticedBy = async (folder, mutation, testsOnly) => {
  const first =
    (await testsCatch(folder, near(folder, mutation))) ?? (await testsCatch(folder, around(mutation)))
  if (first !== undefined || testsOnly || clientSide.some((one) => mutation.file.startsWith(one)))
    return first
  return (
    (await buildServer(folder)) ??
    (mutation.cases.length > 0 ? await casesCatch(folder, mutation.cases) : undefined) ??
    (await casesCatch(folder, []))
  )
}

/** A copy of the tree. */
export const make = () => {
  const folder = copyTree()
  return {
    /**
     * Makes a line wrong; the test, case or build that notices.
     * @param {Mutation} mutation
     * @param {boolean} testsOnly
     */
    noticedBy: async (mutation, testsOnly) => {
      const path = join(folder, mutation.file)
      const right = readFileSync(path, "utf8")
      writeFileSync(
        path,
        right.replace(mutation.find, () => mutation.replace),
      )
      try {
        return await noticedBy(folder, mutation, testsOnly)
      } finally {
        writeFileSync(path, right)
      }
    },
    /**
     * What fails without a mutation, of all that these mutations need.
     * @param {readonly Mutation[]} mutations
     * @param {boolean} testsOnly
     */
    fault: async (mutations, testsOnly) => {
      const tests = mutations.flatMap((one) => [...near(folder, one), ...around(one)])
      const broken = await testsFail(folder, [...new Set(tests)], patience.allTests)
      if (broken !== undefined || testsOnly) return broken
      return (await buildServer(folder)) ?? casesCatch(folder, [])
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
