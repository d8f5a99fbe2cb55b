// @ts-check
// `npm run proof:fleet`: what a fleet promises, one proof at a time or several, on real processes and a PostgreSQL of
// its own.
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../../../.ci/setup.mjs"
import { cost } from "./fleet/cost.mjs"
import { failing } from "./fleet/failing.mjs"
import { frozen } from "./fleet/frozen.mjs"
import { killed, restarted } from "./fleet/kills.mjs"
import { outage } from "./fleet/outage.mjs"
import { races } from "./fleet/races.mjs"
import { returning } from "./fleet/returning.mjs"
import { finish, flags, progress } from "./lib/command.mjs"
import * as Fleet from "./lib/fleet.mjs"
import * as Postgres from "./lib/postgres.mjs"
import { ready } from "./lib/servers.mjs"

/** @import { Row } from "./lib/command.mjs" */

const options = flags("proof:fleet", "Proves what a fleet promises.", {
  proof: {
    says:
      "which: 1 routers are killed, 2 restarted, 3 PostgreSQL is away, 4 a host is frozen, 5 races for a quota, 6 a host " +
      "that fails, 7 all hosts come back, 8 what a router costs, 9 the model of the directory in virtual time",
    standard: "1",
    choices: "123456789".split(""),
  },
  kills: { says: "1: how many routers are killed", standard: 300 },
  floods: { says: "1 and 3: how many processes print 200 lines a second each", standard: 100 },
  everyMs: { says: "1: milliseconds between two kills", standard: 2500 },
  afterMs: { says: "1: milliseconds after which another router begins in the place of one", standard: 500 },
  routers: { says: "how many routers there are", standard: 3 },
  hosts: { says: "how many hosts there are", standard: 4 },
  rounds: { says: "2: how often each router is restarted", standard: 10 },
  seconds: {
    says: "3: how long PostgreSQL is stopped, then killed, then its connections are cut",
    standard: 60,
  },
  goneSeconds: { says: "4: the silence after which a host is gone", standard: 300 },
  freezes: { says: "4: how often a host is frozen for about as long as it takes to be gone", standard: 20 },
  races: { says: "5: how many races", standard: 10_000 },
  crowd: { says: "7: how many hosts come back at once", standard: 1_000 },
  sessions: { says: "8: how many sessions one router has in the end", standard: 10_000 },
  megabytes: { says: "8: how much is printed to see the throughput", standard: 200 },
})

/**
 * @typedef {typeof options} Options
 *
 * @typedef {(given: {
 *   directory: string
 *   folder: string
 *   options: Options
 *   postgres: Awaited<ReturnType<typeof Postgres.start>>
 * }) => Promise<{ rows: Row[], failures: string[] }>} Proof
 */

/** Proof 9. @type {Proof} */
const model = async () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "conformance/lab/simulation/main.mjs"), "--mix", "fleet"],
    { encoding: "utf8" },
  )
  const last = stdout.trim().split("\n").at(-1) ?? ""
  return { rows: [["runs in virtual time", last]], failures: status === 0 ? [] : [`${stdout}${stderr}`] }
}

/** @type {Readonly<Record<string, readonly [title: string, proof: Proof]>>} */
const proofs = {
  1: ["routers are killed under floods", killed],
  2: ["routers are restarted, one after another", restarted],
  3: ["PostgreSQL is away", outage],
  4: ["a host is frozen past its lease", frozen],
  5: ["races of two routers for the last place of a quota", races],
  6: ["a host on which every start fails", failing],
  7: ["all hosts come back at once", returning],
  8: ["what a router costs", cost],
  9: ["the model of the directory", model],
}

ready()
const folder = mkdtempSync(join(tmpdir(), "procwire-proof-"))
const postgres = await Postgres.start(folder)
/** @type {Row[]} */
const rows = []
/** @type {string[]} */
const failures = []
const chosen = options.proof.split(",")

/** Plays one, with a database and a folder of its own. */
const play = async (/** @type {string} */ number) => {
  const [title, proof] = proofs[number] ?? [number, model]
  progress(`${number}: ${title}`)
  const own = join(folder, number)
  mkdirSync(own)
  await postgres.query(`create database proof${number}`)
  const directory = postgres.url.replace(/postgres$/, `proof${number}`)
  const given = { directory, folder: own, options, postgres }
  const ended = await proof(given).catch((error) => ({ rows: [], failures: [String(error.stack)] }))
  rows.push([`${number} ${title}`, ended.failures.length === 0 ? "proved" : "NOT PROVED"], ...ended.rows)
  failures.push(...ended.failures.map((failure) => `${number}: ${failure}`))
}

// Several run side by side, except for the one that takes PostgreSQL away, and the one that measures.
const alone = ["3", "8"]
await Promise.all(chosen.filter((number) => !alone.includes(number)).map(play))
await Fleet.end()
for (const number of chosen.filter((each) => alone.includes(each))) {
  await play(number)
  await Fleet.end()
}
await postgres.remove()
rmSync(folder, { recursive: true, force: true })
finish(`proofs of a fleet: ${chosen.join(", ")}`, rows, failures)
