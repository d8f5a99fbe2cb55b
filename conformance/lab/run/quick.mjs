// @ts-check
// `node conformance/lab/run/quick.mjs node|bun|deno`: plays the wire suite on the command of one runtime, as the tests
// start it: over WebSocket, and the cases about lines over stdio and unix sockets. Node plays every case; Bun and Deno
// leave out those that tell how near the server is to its peer, and those that no runtime can change (`ofFlags`).
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "../../../.ci/command.mjs"
import { build, install, root, runtimeNames } from "../../../.ci/setup.mjs"
import * as Tally from "../../../.ci/tally.mjs"
import { quoted } from "./quoted.mjs"
import { serverOn } from "./runtimes.mjs"
import { flags, outcomesIn, suite } from "./suite.mjs"

/** Cases at a time: a case waits for processes twice as long as it computes. */
const parallel = 8

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

const runtime = runtimeNames.find((name) => name === positionals[0])
if (runtime === undefined) {
  process.stderr.write(`quick: ${positionals[0] ?? "no runtime"}: expected ${runtimeNames.join(" or ")}\n`)
  process.exit(2)
}
/** The command as `.ci/tested.mjs` builds it. */
const program =
  runtime === "node" ? undefined : await (await import("../../../.ci/tested.mjs")).tested(runtime)
const server = await quoted([...serverOn(runtime, { program }), "--listen", "{LISTEN}"])

const folder = mkdtempSync(join(tmpdir(), "procwire-quick-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

/**
 * @param {string} transports
 * @param {readonly string[]} globs of cases; all if there are none
 * @returns {boolean} true if something was played, and all of it passed
 */
const play = (transports, ...globs) => {
  const json = join(folder, "outcomes.json")
  const level = runtime === "node" ? {} : { level: "should" }
  const words = flags({ command: server, transports, ...level, parallel, json })
  const { status } = spawnSync(process.execPath, [suite, ...words, ...globs], { cwd: root, stdio: "inherit" })
  if (status !== 0 && status !== 1) return false
  const cases = outcomesIn(json)
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
