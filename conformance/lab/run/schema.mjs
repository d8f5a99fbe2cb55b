// @ts-check
// `npm run conformance:schema`: plays the suite on this project's own server and holds every message of the run against
// the published JSON Schema, by a validator that is not ours (ajv). With arguments: only these ids or globs. Cases whose
// point are params in other forms than that of the schema are named in `others`.
import { build, install, root } from "../../../.ci/setup.mjs"

install()
build()
const { all } = await import("../../../dist/conformance/suite/cases/all.js")
const Runner = await import("../../../dist/conformance/suite/Runner.js")
const { select } = await import("../../../dist/conformance/suite/Select.js")
const Target = await import("../../../dist/conformance/suite/Target.js")
const WireSchema = await import("../../../dist/conformance/testing/WireSchema.js")

const globs = process.argv.slice(2)

/** @param {"current" | "v0"} dialect */
const play = async (dialect) => {
  const seen = WireSchema.make(dialect === "v0" ? "procwire.v0" : "procwire")
  const { cases } = select(
    all.filter((item) => item.dialect === dialect),
    globs,
    "all",
  )
  if (cases.length === 0) return 0
  const words = [process.execPath, `${root}dist/procwire.mjs`, "serve", "--dialect", dialect, "--listen"]
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
  for (const { id, text, why } of seen.faults)
    process.stdout.write(`${id}: ${why}\n  ${text.slice(0, 300)}\n`)
  process.stdout.write(
    `${dialect}: ${JSON.stringify({ ...counted, ...seen.counts, faults: seen.faults.length })}\n`,
  )
  return seen.faults.length + seen.counts.results === 0 ? 1 : seen.faults.length
}

process.exit((await play("current")) + (await play("v0")) > 0 ? 1 : 0)
