// @ts-check
// `npm run proof:fleet`: routers are killed under floods; then what a router costs.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { finish, flags, progress } from "./lib/command.mjs"
import * as Fleet from "./lib/fleet.mjs"
import * as Postgres from "./lib/postgres.mjs"
import { ready } from "./lib/servers.mjs"

const options = flags("proof:fleet", "Kills routers under floods, and measures what a router costs.", {
  kills: { says: "how many routers are killed", standard: 300 },
  floods: { says: "how many processes print without an end meanwhile", standard: 100 },
  routers: { says: "how many routers there are", standard: 3 },
  hosts: { says: "how many hosts there are", standard: 4 },
  everyMs: { says: "milliseconds between two kills", standard: 1500 },
})

ready()
const folder = mkdtempSync(join(tmpdir(), "procwire-proof-"))
const postgres = await Postgres.start(folder)
const fleet = await Fleet.start({ directory: postgres.url, folder, ...options })
const cost = await Fleet.cost(fleet)
progress(`${options.floods} floods begin`)
const flooding = await Fleet.flood(fleet, options.floods)
for (let kill = 1; kill <= options.kills; kill++) {
  await new Promise((resume) => setTimeout(resume, options.everyMs))
  await fleet.killRouter(kill % options.routers)
  if (kill % 10 === 0) progress(`${kill} routers killed, ${flooding.lines()} lines`)
}
const { lines, wrong, outages } = await flooding.end()
await fleet.end()
await postgres.remove()
rmSync(folder, { recursive: true, force: true })

const sorted = outages.sort((one, other) => one - other)
const at = (/** @type {number} */ part) =>
  `${(sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(0)} ms`
finish(
  "routers killed under floods",
  [
    ["routers killed", String(options.kills)],
    ["lines", String(lines)],
    ["lines lost or doubled", String(wrong.length)],
    ["outages of clients", String(outages.length)],
    ["back after (p50, p99, longest)", `${at(0.5)}, ${at(0.99)}, ${at(1)}`],
    ["echo, direct and by a router", `${cost.direct.echo.toFixed(2)} ms, ${cost.routed.echo.toFixed(2)} ms`],
    [
      "output, direct and by a router",
      `${cost.direct.rate.toFixed(0)} MB/s, ${cost.routed.rate.toFixed(0)} MB/s`,
    ],
  ],
  wrong.length === 0 ? [] : wrong.slice(0, 5),
)
