// @ts-check
// `npm run sim:faults`: plants one concurrency fault at a time in the bundled core, and plays seeds until an invariant
// fails. `--help` says how.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { faults } from "./faults/all.mjs"
import { idOf } from "./faults/fault.mjs"
import { occurrences, plant, play } from "./faults/plant.mjs"
import { complaints, leastShare, readResults, writeResults } from "./faults/results.mjs"

/** @import { Fault } from "./faults/fault.mjs" */
/** @import { Result } from "./faults/results.mjs" */

const help = `npm run sim:faults -- [--only WORD]... [--seeds N] [--write] [--json FILE]
npm run sim:faults -- --check

  --only WORD    only the faults whose file or sentence contains it; several must all be contained
  --seeds N      how many seeds each may take: 500. The seed that found it before comes first
  --afresh       forgets which seed found a fault before: 1, 2, … in this order
  --jobs N       how many are played at once: 1
  --write        records what is found in faults/results.json, and writes the table of faults/README.md
  --json FILE    writes the results of this run
  --check        plays nothing: fails if a fault cannot be planted, or if results and table do not fit the faults

The exit code is 1 if less than ${leastShare} % of the faults that were played are found, or a survivor has no reason.
`

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    seeds: { type: "string", default: "500" },
    afresh: { type: "boolean", default: false },
    jobs: { type: "string", default: "1" },
    write: { type: "boolean", default: false },
    json: { type: "string" },
    check: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}

const chosen = faults.filter(({ file, what }) =>
  values.only.every((word) => file.includes(word) || what.includes(word)),
)
const unsuited = chosen.filter((fault) => occurrences(fault) !== 1)
for (const fault of unsuited)
  process.stderr.write(`${idOf(fault)}: applies ${occurrences(fault)} times: ${fault.find}\n`)
if (values.check || unsuited.length > 0) {
  const wrong = unsuited.length > 0 ? [] : complaints(faults)
  for (const line of wrong) process.stderr.write(`${line}\n`)
  process.stdout.write(`${chosen.length - unsuited.length} of ${chosen.length} faults apply\n`)
  process.exit(unsuited.length + wrong.length === 0 ? 0 : 1)
}

const before = readResults()
const most = Number(values.seeds)
const folder = mkdtempSync(join(tmpdir(), "procwire-faults-"))
/** @type {Record<string, Result>} */
const results = {}
let over = 0

/**
 * @param {Fault} fault
 * @param {number} index
 */
const judge = async (fault, index) => {
  const bundled = await plant(fault, join(folder, `${index}.mjs`))
  const known = values.afresh ? undefined : before[idOf(fault)]?.seed
  const hunt = [...new Set([...(known === undefined ? [] : [known]), ...range(most)])].slice(0, most)
  const begin = performance.now()
  const found = await play(bundled, hunt, fault.mix)
  results[idOf(fault)] =
    found === undefined ? { seeds: hunt.length } : { seed: found.seed, invariant: found.invariant }
  over += 1
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  const outcome = found === undefined ? `SURVIVED ${hunt.length} seeds` : `found by seed ${found.seed}`
  process.stdout.write(`${over}/${chosen.length} ${outcome} in ${seconds} s: ${idOf(fault)}\n`)
  if (found !== undefined) process.stdout.write(`    ${found.invariant}: ${found.detail}\n`)
}

/** @param {number} count */
const range = (count) => Array.from({ length: count }, (_, index) => index + 1)

const queue = [...chosen.entries()]
const work = async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) await judge(next[1], next[0])
}
try {
  await Promise.all(Array.from({ length: Number(values.jobs) }, work))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

const survivors = chosen.filter((fault) => results[idOf(fault)]?.seed === undefined)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`)
if (values.write) writeResults(faults, { ...before, ...results })
const found = chosen.length - survivors.length
const enough = 100 * found >= leastShare * chosen.length
const unexplained = survivors.filter(({ survives }) => survives === undefined)
for (const fault of survivors)
  process.stdout.write(`survivor: ${idOf(fault)}: ${fault.survives ?? "no reason is given"}\n`)
process.stdout.write(`found ${found} of ${chosen.length}\n`)
process.exit(enough && unexplained.length === 0 ? 0 : 1)
