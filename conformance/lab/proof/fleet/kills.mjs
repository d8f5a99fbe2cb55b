// @ts-check
// Proofs 1 and 2: routers die, or are restarted one after another, under processes that print without an end.
import { setTimeout as sleep } from "node:timers/promises"
import { progress } from "../lib/command.mjs"
import * as Fleet from "../lib/fleet.mjs"
import * as Floods from "../lib/floods.mjs"

/** @import { Proof } from "../fleet.mjs" */

/** SIGKILL, again and again; no line is lost or doubled. @type {Proof} */
export const killed = async ({ directory, folder, options }) => {
  const { kills, floods, everyMs, afterMs, routers, hosts } = options
  const fleet = await Fleet.start({ directory, folder, routers, hosts })
  const flooding = await Floods.begin(fleet.urls(), { count: floods, lines: 20, everyMs: 100 })
  progress(`${floods} floods have begun`)
  /** @type {Promise<void>[]} */
  const replaced = []
  for (let kill = 0; kill < kills; kill++) {
    await sleep(everyMs)
    await replaced[kill - routers + 1]
    replaced[kill] = (await fleet.replace(kill % routers, "SIGKILL", afterMs)).begun
    if (kill % 25 === 24) progress(`${kill + 1} routers killed, back after ${Fleet.spread(flooding.outages)}`)
  }
  await Promise.all(replaced)
  await sleep(2_000)
  await flooding.end()
  return {
    rows: [
      ["routers killed", String(kills)],
      ["processes that print 200 lines a second", String(floods)],
      ["lines", String(flooding.lines())],
      ["lines lost or doubled", String(flooding.wrong.length)],
      ["outages of clients", String(flooding.outages.length)],
      ["back after (p50, p99, longest)", Fleet.spread(flooding.outages)],
    ],
    failures: flooding.wrong,
  }
}

/** SIGTERM to each in turn, while clients print, run commands and come new. @type {Proof} */
export const restarted = async ({ directory, folder, options }) => {
  const { rounds, routers, hosts } = options
  const fleet = await Fleet.start({ directory, folder, routers, hosts })
  const flooding = await Floods.begin(fleet.urls(), { count: 20, lines: 20, everyMs: 100 })
  /** @type {string[]} */
  const failures = []
  let [asked, begun, going] = [0, 0, true]
  /** @type {number[]} */
  const pauses = []
  /** @type {number[]} */
  const arrivals = []
  const asking = (async () => {
    const client = await Fleet.connect(fleet.urls())
    while (going) {
      const since = performance.now()
      const { stdout } = await client.run({ argv: ["echo", String(asked)] })
      if (stdout !== `${asked}\n`) failures.push(`echo ${asked} has printed ${stdout}`)
      pauses.push(performance.now() - since)
      asked += 1
      await sleep(20)
    }
    await client.close()
  })().catch((error) => void failures.push(`a client that runs commands: ${error}`))
  const beginning = (async () => {
    while (going) {
      const since = performance.now()
      const client = await Fleet.connect(fleet.urls())
      const { exitCode } = await client.run({ argv: ["true"] })
      if (exitCode !== 0) failures.push(`true has exited with ${exitCode}`)
      await client.close()
      arrivals.push(performance.now() - since)
      begun += 1
      await sleep(100)
    }
  })().catch((error) => void failures.push(`a client that comes new: ${error}`))
  for (let restart = 0; restart < rounds * routers; restart++) {
    const at = restart % routers
    await (
      await fleet.replace(at, "SIGTERM")
    ).begun
    await Fleet.until("its hosts are back", () => fleet.complete(fleet.urls()[at] ?? ""))
  }
  going = false
  await Promise.all([asking, beginning])
  await flooding.end()
  return {
    rows: [
      ["routers restarted", String(rounds * routers)],
      ["lines of 20 processes, lost or doubled", `${flooding.lines()}, ${flooding.wrong.length}`],
      ["their pauses (p50, p99, longest)", Fleet.spread(flooding.outages)],
      ["commands run, and how long each took", `${asked}, ${Fleet.spread(pauses)}`],
      ["clients that came meanwhile, and how long each took", `${begun}, ${Fleet.spread(arrivals)}`],
    ],
    failures: [...flooding.wrong, ...failures],
  }
}
