// @ts-check
// `npm run lab -- schema`: plays the suite on this project's own server and holds every message of the run
// against the published JSON Schema, by a validator that is not ours (ajv). With arguments: only these ids or globs.
// Requests in forms that the server takes beside that of the schema are the point of a few cases, which do not count.
import { command } from "../../../.ci/command.mjs"
import { build, install, root } from "../../../.ci/setup.mjs"

const { positionals: globs } = command(import.meta.url, { allowPositionals: true })
install()
build()
const { all } = await import("../../../dist/conformance/suite/cases/all.js")
const Runner = await import("../../../dist/conformance/suite/Runner.js")
const { select } = await import("../../../dist/conformance/suite/Select.js")
const Target = await import("../../../dist/conformance/suite/Target.js")
const WireSchema = await import("../../../dist/conformance/testing/WireSchema.js")

/** Cases in which a server takes other forms than those of the schema. */
const others = [
  "params/",
  "fs/path/blanks",
  "http/request/header-in-an-array",
  "process/networkProxy/transparent-tcp-is-a-boolean",
  "process/terminate/unknown-signal-ignored",
]

/** @param {"current" | "v0"} dialect */
const play = async (dialect) => {
  const seen = WireSchema.make(dialect === "v0" ? "procwire.v0" : "procwire")
  const { cases } = select(
    all.filter((item) => item.dialect === dialect),
    globs,
    "all",
  )
  if (cases.length === 0) return 0
  const words = [process.execPath, `${root}dist/procwire.cjs`, "serve", "--dialect", dialect, "--listen"]
  const targets = [
    Target.command("stdio", [...words, "stdio"]),
    Target.command("ws", [...words, "ws://127.0.0.1:0"]),
  ]
  const options = { cases, parallel: 4, timeoutMs: 60_000, without: new Set(), slow: false }
  const counted = { pass: 0, fail: 0, skip: 0, unplayed: 0 }
  for (const [run, target] of targets.entries()) {
    const one = { ...options, targets: [target] }
    const outcomes = await Runner.run({ ...one, onEntry: (item, entry) => seen.onEntry(item, run, entry) })
    for (const { status } of outcomes) counted[status] += 1
  }
  const faults = seen.faults.filter(({ id }) => !others.some((other) => id.startsWith(other)))
  for (const { id, text, why } of faults) process.stdout.write(`${id}: ${why}\n  ${text.slice(0, 300)}\n`)
  process.stdout.write(
    `${dialect}: ${JSON.stringify({ ...counted, ...seen.counts, faults: faults.length })}\n`,
  )
  return seen.counts.results === 0 ? 1 : faults.length
}

process.exit((await play("current")) + (await play("v0")) > 0 ? 1 : 0)
