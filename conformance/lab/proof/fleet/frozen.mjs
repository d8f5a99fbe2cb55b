// @ts-check
// Proof 4: a host is stopped by SIGSTOP for longer than its lease, and goes on. No session is on two hosts; what it
// says late is refused, and it begins anew.
import { createHash } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { progress } from "../lib/command.mjs"
import * as Directory from "../lib/directory.mjs"
import * as Fleet from "../lib/fleet.mjs"
import * as Random from "../lib/random.mjs"

/** @import { Proof } from "../fleet.mjs" */

/** Where proofs say leases, they change those of the directory: a host of a program has the usual ones. */
const table = "procwire_directory.host"

const isAlive = (/** @type {number} */ pid) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** @typedef {Awaited<ReturnType<typeof Directory.open>>} Seen */

/** A session with a process on the host, and how each is called. */
const begin = async (/** @type {string[]} */ labelled, /** @type {Seen} */ seen) => {
  // Longer than the host is silent: the client is to hear that it is gone.
  const client = await Fleet.connect(labelled, { reconnect: { window: "10 minutes" } })
  const child = await client.start({ argv: ["sh", "-c", "echo $$; exec cat"], pipeStdin: true })
  const lines = child.lines()[Symbol.asyncIterator]()
  const pid = Number((await lines.next()).value)
  const key = createHash("sha256")
    .update(client.sessionId ?? "")
    .digest("hex")
  await Fleet.until("the session is confirmed", async () => (await seen.lookup(key)).state === "running")
  return { client, child, lines, pid, key }
}

/** @type {Proof} */
export const frozen = async ({ directory, folder, options, postgres }) => {
  const { goneSeconds, freezes } = options
  const fleet = await Fleet.start({ directory, folder, routers: 2, hosts: 2 })
  const seen = await Directory.open(directory)
  const database = new URL(directory.replace(/^postgres:\/\/[^/]*/, "http://x")).pathname.slice(1)
  /** @type {string[]} */
  const failures = []
  const host = fleet.hostProcess
  if (host === undefined) throw new Error("there is no host")
  const labelled = fleet.urls().map((url) => `${url}/?label=name=h0`)
  let [kept, lost] = [0, 0]

  /** The host stands still for a while, and goes on; what has become of its session is the same everywhere. */
  const freeze = async (/** @type {number} */ millis, /** @type {number} */ gone) => {
    const { client, child, lines, pid, key } = await begin(labelled, seen)
    progress(`frozen for ${millis} ms`)
    host.kill("SIGSTOP")
    if (gone !== 300) {
      const brief = `lease_millis = ${Math.round((gone * 1000) / 3)}, gone_millis = ${gone * 1000}`
      await postgres.query(`update ${table} set ${brief} where host_id = 'h0'`, database)
    }
    const until = performance.now() + millis
    if (millis > gone * 1000) {
      await Fleet.until("the host is lost", async () => (await seen.host("h0"))?.state !== "up", 60_000)
      const refusal = await Fleet.connect(labelled, { reconnect: false }).catch((error) => error)
      if (!String(refusal.message).includes("no session was started"))
        failures.push(`a start on a lost host: ${refusal.message ?? "was granted"}`)
      await Fleet.until("the host is gone", async () => (await seen.host("h0"))?.state === "gone", 600_000)
    }
    await sleep(Math.max(0, until - performance.now()))
    host.kill("SIGCONT")
    progress("and thawed")
    if (gone !== 300)
      await postgres.query(
        `update ${table} set lease_millis = 15000, gone_millis = 300000 where host_id = 'h0'`,
        database,
      )
    // It has to be heard of again, with this epoch or another one.
    await Fleet.until("the host is back", async () => (await seen.host("h0"))?.state === "up", 60_000)
    const { state, ending, epoch } = await seen.lookup(key)
    if (state === "running") {
      kept += 1
      await child.write("still here\n")
      const { value } = await lines.next()
      if (value !== "still here" || !isAlive(pid)) failures.push(`a session that was kept says ${value}`)
      await child.terminate()
    } else {
      lost += 1
      if (ending !== "host gone") failures.push(`the session has ended: ${ending}`)
      await Fleet.until("its process has ended, too", () => !isAlive(pid), 30_000)
      const after = (await seen.host("h0"))?.epoch ?? 0
      if (after <= epoch)
        failures.push(`after it was gone the host has the epoch ${after}, as before: ${epoch}`)
      const told = await child.exitCode.catch((error) => String(error.message))
      if (!String(told).includes("has ended: host gone")) failures.push(`the client was told ${told}`)
    }
    const { sessions } = await seen.list()
    if (new Set(sessions.map(({ sessionId }) => sessionId)).size !== sessions.length)
      failures.push("a session is listed twice")
    await client.close()
  }

  progress(`a host is frozen until it is gone, after ${goneSeconds} s`)
  await freeze(goneSeconds * 1000 + 1, goneSeconds)
  const random = Random.make(1)
  for (let round = 0; round < freezes; round++) await freeze(1_000 + random.below(4_000), 3)
  const anew = fleet.logged().match(/this host begins anew/g)?.length ?? 0
  if (anew < lost) failures.push(`${lost} times gone, and ${anew} times begun anew`)
  await seen.close()
  return {
    rows: [
      ["frozen until gone, after", `${goneSeconds} s`],
      ["frozen about as long as it takes", `${freezes} times for 1 to 5 s, and gone after 3 s`],
      ["sessions kept, ended everywhere", `${kept}, ${lost}`],
      ["late words refused, and begun anew", String(anew)],
    ],
    failures,
  }
}
