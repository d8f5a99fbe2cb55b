// @ts-check
// `node conformance/lab/run/quick.mjs node|bun|deno`: plays the wire suite on the command of one runtime, as the tests
// start it: over WebSocket, and the cases about lines over stdio and unix sockets. Node plays every case; Bun and Deno
// leave out those that tell how near the server is to its peer, and those that no runtime can change (`ofFlags`).
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "../../../.ci/command.mjs"
import { binary, build, install, root } from "../../../.ci/setup.mjs"
import * as Tally from "../../../.ci/tally.mjs"
import { quoted } from "./quoted.mjs"

/** Cases at a time: a case waits for processes twice as long as it computes. */
const parallel = 8

/** The longest wait of a case, in milliseconds: only a hang reaches it, on whatever machine. */
const hangMs = 120_000

const { positionals } = command(import.meta.url, { allowPositionals: true })
install()
build()

/**
 * Families and cases about what flags mean. Code that knows no runtime reads the flags and counts, and each of these
 * cases starts servers of its own: they are 7 of a hundred cases, and a fifth of the processor time. `npm run lab --
 * support` plays them on every runtime.
 */
const ofFlags = [
  "limits/flags",
  "process/egress/ask",
  "process/attach/scope",
  "session/list/all-where-allowed",
  "websocket/auth/digest-in-capitals",
  "websocket/auth/flags",
  "websocket/auth/token-file-is-trimmed",
  "websocket/jwt/audience-checked",
  "websocket/jwt/issuer-checked",
  "websocket/jwt/skew-flag",
  "websocket/listen/bad-addresses-refused",
  "websocket/listen/unknown-schemes-refused",
]

/** The ids of the cases that Bun and Deno play over WebSocket. */
const ofRuntimes = async () => {
  /** @type {{ cases: readonly { id: string }[] }} */
  const { cases } = await import(`${root}dist/conformance/index.js`)
  const ids = cases.map(({ id }) => id)
  /** @param {string} id @param {string} place */
  const isIn = (id, place) => id === place || id.startsWith(`${place}/`)
  const stale = ofFlags.filter((place) => !ids.some((id) => isIn(id, place)))
  if (stale.length > 0) throw new Error(`quick: no case is called ${stale.join(" or ")}`)
  return ids.filter((id) => !ofFlags.some((place) => isIn(id, place)))
}

/** @type {Record<string, () => readonly string[]>} The words that start the command, built by `.ci/tested.mjs`. */
const commands = {
  node: () => [process.execPath, `${root}dist/procwire.cjs`],
  bun: () => [binary("@oven", "bin/bun"), `${root}dist/tested-bun/procwire.mjs`],
  deno: () => [
    binary("@deno", "deno"),
    "run",
    "--quiet",
    "--no-prompt",
    "-P",
    `${root}dist/tested-deno/procwire.mjs`,
  ],
}

const [runtime = ""] = positionals
const words = commands[runtime]?.()
if (words === undefined) {
  process.stderr.write(`quick: ${runtime || "no runtime"}: expected node, bun or deno\n`)
  process.exit(2)
}
if (runtime !== "node") {
  const { provide } = await import("../../../.ci/tested.mjs")
  await provide(runtime === "bun" ? "bun" : "deno")
}

const server = await quoted([...words, "serve", "--listen", "{LISTEN}"])

const folder = mkdtempSync(join(tmpdir(), "procwire-quick-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

/**
 * @param {string} transports
 * @param {readonly string[]} globs of cases; all if there are none
 * @returns {boolean} true if something was played, and all of it passed
 */
const play = (transports, ...globs) => {
  const json = join(folder, "outcomes.json")
  const { status } = spawnSync(
    process.execPath,
    [
      `${root}dist/procwire-conformance.mjs`,
      "--command",
      server,
      "--transports",
      transports,
      "--strict",
      ...(runtime === "node" ? [] : ["--level", "should"]),
      "--parallel",
      String(parallel),
      "--timeout-ms",
      String(hangMs),
      "--json",
      json,
      ...globs,
    ],
    { cwd: root, stdio: "inherit" },
  )
  if (status !== 0 && status !== 1) return false
  /** @type {{ cases: { id: string, status: string, counts: boolean, reason?: string }[] }} */
  const { cases } = JSON.parse(readFileSync(json, "utf8"))
  const failed = cases.filter((one) => one.status === "fail" && one.counts)
  const passed = cases.filter((one) => one.status === "pass").length
  Tally.note({
    passed,
    failed: failed.length,
    skipped: cases.length - passed - failed.length,
    failures: failed.map(({ id, reason = "" }) => ({
      runtime,
      file: "",
      test: `${id} over ${transports}`,
      message: reason,
    })),
  })
  return status === 0 && passed > 0
}

const whole = play("ws", ...(runtime === "node" ? [] : await ofRuntimes()))
const lines = play("stdio,unix", "framing", "lifecycle")
process.exitCode = whole && lines ? 0 : 1
