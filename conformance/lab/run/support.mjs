// @ts-check
// `npm run lab -- support`: plays the spawner suite and the wire suite on every runtime, and writes what they proved
// into conformance/lab/run/support.json, from which `npm run readme` makes the support table.
// `npm run lab -- support --check` fails if a run proves something else than the file says.
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { command } from "../../../.ci/command.mjs"
import { each } from "../../../.ci/each.mjs"
import { build, install, root } from "../../../.ci/setup.mjs"
import { cacheOf } from "./fetched.mjs"
import { runtimes } from "./runtimes.mjs"
import { flags, outcomesIn, suite } from "./suite.mjs"

/**
 * The proofs, by runtime and row of the table; and the version of the runtime.
 * @typedef {Record<string, { version: string } & Record<string, boolean | string>>} Support
 *
 * @import { Runtime } from "./runtimes.mjs"
 * @import { Outcome } from "./suite.mjs"
 */

/**
 * The cases that depend on the transport. The whole suite is played over WebSocket, where connections share a server
 * and so cost least. The other lines of Node run the same file as this one, and fewer cases; over stdio, where each
 * case starts a server of its own, they leave to unix sockets and TCP what the lines of those prove as well.
 */
const ofTransport = ["handshake", "envelope", "framing", "limits", "lifecycle", "session", "concurrency"]
const ofOtherStdio = ["handshake", "framing", "limits", "lifecycle"]
const ofLines = [
  "handshake",
  "framing",
  "lifecycle",
  "process/start",
  "process/output",
  "fs/readFile",
  "http/stream",
]

const file = `${root}conformance/lab/run/support.json`

const { values } = command(import.meta.url, { options: { check: false } })
install()
build()
const { cases: spawnerCases } = await import("../../../dist/conformance/spawner/cases/index.js")
const folder = cacheOf("support")
mkdirSync(folder, { recursive: true })

/** Counts the runs, so that each has a file of its own. */
let runs = 0

/**
 * The outcomes of a suite.
 * @param {readonly string[]} command its words and options
 * @param {readonly string[]} [globs] of cases; all if there are none
 * @returns {Promise<Outcome[]>}
 */
const play = ([program = "", ...args], globs = []) => {
  const json = join(folder, `outcomes-${(runs += 1)}.json`)
  const words = [...args, ...globs, ...flags({ "timeout-ms": 60_000, json })]
  return new Promise((resolve) => {
    execFile(program, words, { cwd: root, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code
      if (status !== 0)
        process.stderr.write(`${stdout}${stderr}\n${program} ${words.join(" ")}: exit code ${status}\n`)
      resolve(status === 0 || status === 1 ? outcomesIn(json) : [])
    })
  })
}

/**
 * True if something ran, and nothing that counts failed.
 * @param {readonly Outcome[]} outcomes
 */
const proves = (outcomes) =>
  outcomes.some(({ status }) => status === "pass") &&
  !outcomes.some(({ counts, status }) => counts && status === "fail")

/** @type {Record<string, string>} Rows of the table, each with the capability that its cases require. */
const capabilities = {
  PTY: "pty",
  resize: "resize",
  "`arg0`": "arg0",
  "process group": "processGroup",
  pause: "pause",
}

/** @param {Runtime} runtime @returns {Promise<Record<string, boolean>>} */
const proveSpawner = async ({ conformance, spawner }) => {
  const outcomes = await play([...conformance, "--spawner", spawner])
  /** @type {Map<string, readonly string[]>} */
  const requires = new Map(spawnerCases.map(({ id, requires }) => [id, requires]))
  /** @param {(needs: readonly string[]) => boolean} wanted */
  const where = (wanted) => proves(outcomes.filter(({ id }) => wanted(requires.get(id) ?? [])))
  const rows = Object.entries(capabilities).map(([row, need]) => [
    row,
    where((needs) => needs.includes(need)),
  ])
  return {
    pipes: where((needs) => needs.every((need) => need === "procfs" || need === "pipeStdin")),
    ...Object.fromEntries(rows),
  }
}

/** @param {Runtime} runtime @returns {Promise<Record<string, boolean>>} */
const proveTransports = async ({ name, server, bundled }) => {
  const otherNode = name.startsWith("Node") && name !== `Node ${process.versions.node.split(".")[0]}`
  const some = otherNode ? ofLines : ofTransport
  /** @param {string} transport @param {readonly string[]} globs */
  const over = async (transport, globs) => {
    // From its sources it starts slowly, which one transport proves.
    const command = transport === "tcp" ? server : bundled
    return proves(
      await play([process.execPath, suite, "--command", command, "--transports", transport], globs),
    )
  }
  const v0 = ["--command", `${bundled} --dialect v0`, "--dialect", "v0", "--transports", "ws"]
  return {
    stdio: await over("stdio", otherNode ? ofOtherStdio : ofTransport),
    WebSocket: await over("ws", otherNode ? ofLines : []),
    "unix socket": await over("unix", some),
    TCP: await over("tcp", some),
    "the first wire, v0": proves(await play([process.execPath, suite, ...v0])),
  }
}

/** @param {Runtime} runtime @returns {Promise<Support[string]>} */
const prove = async (runtime) => {
  const began = performance.now()
  const rows = { ...(await proveSpawner(runtime)), ...(await proveTransports(runtime)) }
  const no = Object.keys(rows).filter((row) => !rows[row])
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const result = no.length === 0 ? "everything" : `not ${no.join(", ")}`
  process.stdout.write(`${runtime.name} (${runtime.version}): ${result}, ${seconds} s\n`)
  return { version: runtime.version, ...rows }
}

const all = await runtimes()
// Two at once: cases wait more than they compute.
const proofs = await each(all, 2, prove)
/** @type {Support} */
const proved = Object.fromEntries(
  all.map(({ name }, index) => [name, proofs[index] ?? { version: "unknown" }]),
)

if (values.check) {
  /** @type {Support} */
  const said = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
  const differ = Object.entries(proved).flatMap(([name, rows]) =>
    Object.entries(rows)
      .filter(([row, yes]) => row !== "version" && (said[name]?.[row] ?? false) !== yes)
      .map(([row, yes]) => `${name}, ${row}: ${yes ? "yes" : "no"}`),
  )
  if (differ.length > 0) {
    const path = "conformance/lab/run/support.json"
    process.stderr.write(`${path} says something else (npm run lab -- support):\n  ${differ.join("\n  ")}\n`)
    process.exit(1)
  }
} else {
  writeFileSync(file, `${JSON.stringify(proved, undefined, 2)}\n`)
}
