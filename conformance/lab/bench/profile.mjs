// @ts-check
// `npm run bench -- --profile ROW`: where the CPU time of procwire goes in a row of the guard, by function.
import { mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../../../.ci/setup.mjs"
import { flags } from "../stress/lib/command.mjs"
import { ready, serve } from "../stress/lib/servers.mjs"
import { bench, guardRows } from "./lib/guard-rows.mjs"

/**
 * @typedef {{ id: number, callFrame: { functionName: string, url: string, lineNumber: number } }} ProfileNode
 * @typedef {{ nodes: ProfileNode[], samples: number[], timeDeltas: number[] }} Profile
 */

const rows = guardRows.map(({ id }) => id)
process.argv = process.argv.map((word) => (word === "--profile" ? "--row" : word))
const options = flags("bench -- --profile ROW", "Where the CPU time of procwire on Node goes in a row.", {
  row: { says: rows.join(", "), standard: "output", choices: rows },
  turns: { says: "how often the work of the row is done, after it was done 5 times", standard: 30 },
  top: { says: "functions that are shown", standard: 15 },
})
ready()

const row = guardRows.find(({ id }) => id === options.row)
if (row === undefined) process.exit(2)
const folder = mkdtempSync(join(tmpdir(), "procwire-profile-"))
// As separate modules, whose functions have names; how it starts is not shown.
const entry = join(root, "dist/adapters/node/main.js")
const words = [
  process.execPath,
  "--cpu-prof",
  `--cpu-prof-dir=${folder}`,
  "--cpu-prof-interval=500",
  entry,
  "serve",
]
const began = performance.now()
const server = await serve({ runtime: "node", transport: row.transport, command: words.join(" ") })
const client = await bench(server)
const work = await row.prepare(client)
for (let turn = 0; turn < 5; turn += 1) await work()
const warm = (performance.now() - began) * 1000
for (let turn = 0; turn < options.turns; turn += 1) await work()
client.peer.wire.close()
await server.stop()

/** @param {ProfileNode} node */
const nameOf = ({ callFrame: { functionName, url, lineNumber } }) => {
  const place = url === "" || url.startsWith("node:") ? url : `${url.split("/").at(-1)}:${lineNumber + 1}`
  return `${functionName || "(anonymous)"} ${place}`.trim()
}

const profiles = readdirSync(folder).filter((name) => name.endsWith(".cpuprofile"))
/** @type {Map<string, number>} */
const times = new Map()
let busy = 0
for (const file of profiles) {
  /** @type {Profile} */
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, file), "utf8"))
  const names = new Map(nodes.map((one) => [one.id, nameOf(one)]))
  let at = 0
  for (const [index, id] of samples.entries()) {
    const [name, micros] = [names.get(id) ?? "", timeDeltas[index] ?? 0]
    at += micros
    if (name === "(idle)" || at < warm) continue
    times.set(name, (times.get(name) ?? 0) + micros)
    busy += micros
  }
}
const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, options.top)
const lines = sorted.map(([name, micros]) => `${((micros / busy) * 100).toFixed(1).padStart(5)} %  ${name}`)
process.stdout.write(`${row.says}: self time without idling, in ${folder}\n${lines.join("\n")}\n`)
