// @ts-check
// `npm run sim:faults`: plants one concurrency fault at a time in the bundled core, and plays seeds until an invariant
// fails. Lists those that survive, and fails if they are more than three.
//
//   --check      runs nothing: fails if a fault does not apply to the sources
//   --seeds N    how many seeds each may take: 500
//   WORD         only the faults whose file or sentence contains it
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { root } from "../../../.ci/setup.mjs"
import { bundle } from "./bundle.mjs"
import { faults } from "./faults/all.mjs"

/** @import { Fault } from "./faults/fault.mjs" */

/** How many may survive. */
const mostSurvivors = 3

/** Far more than 500 seeds take, in milliseconds: a fault that makes a run hang is found, too. */
const patience = 600_000

const { values, positionals } = parseArgs({
  options: { check: { type: "boolean", default: false }, seeds: { type: "string", default: "500" } },
  allowPositionals: true,
})

const chosen = faults.filter(({ file, what }) =>
  positionals.every((word) => file.includes(word) || what.includes(word)),
)

/** @param {Fault} fault */
const applies = ({ file, find, what }) => {
  const count = readFileSync(join(root, file), "utf8").split(find).length - 1
  if (count !== 1) process.stderr.write(`${file}: "${what}" applies ${count} times: ${find}\n`)
  return count === 1
}

const unsuited = chosen.filter((fault) => !applies(fault))
if (values.check || unsuited.length > 0) {
  process.stdout.write(`${chosen.length - unsuited.length} of ${chosen.length} faults apply\n`)
  process.exit(unsuited.length === 0 ? 0 : 1)
}

/**
 * The bundle with that fault in it.
 * @param {Fault} fault
 * @param {string} outfile
 */
const plant = ({ file, find, replace }, outfile) =>
  bundle(outfile, [
    {
      name: "fault",
      setup: ({ onLoad }) =>
        onLoad({ filter: /\.ts$/ }, ({ path }) => {
          if (path !== join(root, file)) return undefined
          return { contents: readFileSync(path, "utf8").replace(find, () => replace), loader: "ts" }
        }),
    },
  ])

const folder = mkdtempSync(join(tmpdir(), "procwire-faults-"))
const player = fileURLToPath(new URL("player.mjs", import.meta.url))
/** @type {Fault[]} */
const survivors = []
try {
  for (const [index, fault] of chosen.entries()) {
    const outfile = join(folder, `${index}.mjs`)
    await plant(fault, outfile)
    const request = {
      from: 1,
      seeds: Number(values.seeds),
      minutes: 1,
      lines: false,
      single: false,
      first: true,
    }
    const played = spawnSync(process.execPath, [player, outfile, JSON.stringify(request)], {
      encoding: "utf8",
      timeout: patience,
      killSignal: "SIGKILL",
    })
    const by = played.status === 0 ? undefined : played.stdout.trim() || "it hangs"
    if (by === undefined) survivors.push(fault)
    process.stdout.write(`${by === undefined ? "SURVIVED" : "found"}: ${fault.file}: ${fault.what}\n`)
    if (by !== undefined) process.stdout.write(`    ${by.split("\n")[0]}\n`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(`${chosen.length - survivors.length} of ${chosen.length} faults found\n`)
process.exit(survivors.length > mostSurvivors ? 1 : 0)
