// @ts-check
// Proof 3: PostgreSQL is stopped, killed, and its connections are cut. Sessions go on, resumes work, starts are refused
// with words; afterwards no session is there twice, and none is forgotten.
import { setTimeout as sleep } from "node:timers/promises"
import { progress } from "../lib/command.mjs"
import * as Directory from "../lib/directory.mjs"
import * as Fleet from "../lib/fleet.mjs"
import * as Floods from "../lib/floods.mjs"

/** @import { Proof } from "../fleet.mjs" */

const cut = "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()"

/** Every process has printed more. */
const goesOn = async (/** @type {Floods.Floods} */ flooding, /** @type {string} */ what) => {
  const before = flooding.reached()
  await sleep(1_000)
  await Fleet.until(
    `${what}: every process prints`,
    () => flooding.reached().every((next, at) => next > (before[at] ?? 0)),
    10_000,
  )
}
/** The directory has the sessions that there are, each once and on one host. */
const isTrue = async (
  /** @type {string} */ directory,
  /** @type {string} */ what,
  /** @type {number} */ count,
) => {
  const seen = await Directory.open(directory)
  await Fleet.until(
    `${what}: ${count} sessions are in the directory`,
    async () => {
      const { sessions, hosts: known } = await seen.list()
      const used = known.reduce((sum, host) => sum + host.used, 0)
      return sessions.filter(({ state }) => state === "running").length === count && used === count
    },
    30_000,
  )
  await seen.close()
}

/** @type {Proof} */
export const outage = async ({ directory, folder, options, postgres }) => {
  const { routers, hosts, seconds } = options
  const floods = Math.min(20, options.floods)
  const fleet = await Fleet.start({ directory, folder, routers, hosts })
  const flooding = await Floods.begin(fleet.urls(), { count: floods, lines: 20, everyMs: 100 })
  /** @type {string[]} */
  const failures = []
  let refused = 0

  /** Starts are refused, and say why. */
  const refuses = async () => {
    const asked = Fleet.connect(fleet.urls().slice(0, 1), { reconnect: false })
    const answer = await asked.then(
      (client) => client.close().then(() => "a session was started"),
      (error) => String(error.message),
    )
    if (answer.includes("no session can be started now")) refused += 1
    else failures.push(`a start was answered with: ${answer}`)
  }
  const absences = {
    stopped: {
      begin: async () => postgres.freeze(),
      during: refuses,
      end: async () => postgres.thaw(),
    },
    killed: { begin: () => postgres.kill(), during: refuses, end: () => postgres.begin() },
    // Who is quick enough begins a session between two cuts.
    "cut off": { begin: async () => {}, during: () => postgres.query(cut), end: async () => {} },
  }
  await isTrue(directory, "before", floods)
  let restarts = 0
  for (const [name, { begin, during, end }] of Object.entries(absences)) {
    progress(`PostgreSQL is ${name} for ${seconds} s`)
    const until = performance.now() + seconds * 1000
    await begin()
    await during()
    await goesOn(flooding, name)
    // Its clients resume by the other routers; in its place none can begin while PostgreSQL is away.
    const victim = restarts++ % routers
    const url = fleet.urls()[victim] ?? ""
    await Fleet.kill(/** @type {Fleet.Fleet["routers"][number]} */ (fleet.routers[victim]).child)
    await goesOn(flooding, `${name}, and a router was killed`)
    // The other routers, in turn, refuse starts, too.
    fleet.routers.push(...fleet.routers.splice(0, victim + 1))
    while (performance.now() < until) {
      await during()
      await sleep(200)
    }
    await goesOn(flooding, name)
    await end()
    fleet.routers[routers - 1] = await fleet.router(url)
    await fleet.all()
    await isTrue(directory, `after PostgreSQL was ${name}`, floods)
  }
  const late = await Fleet.connect(fleet.urls())
  await late.close()
  await flooding.end()
  return {
    rows: [
      ["seconds stopped, killed, cut off", `${seconds} each`],
      ["lines of processes, lost or doubled", `${flooding.lines()}, ${flooding.wrong.length}`],
      [
        "clients that resumed meanwhile, and after",
        `${flooding.outages.length}, ${Fleet.spread(flooding.outages)}`,
      ],
      ["starts refused with words", String(refused)],
      ["sessions in the directory, before and after each", `${floods}`],
    ],
    failures: [...failures, ...flooding.wrong],
  }
}
