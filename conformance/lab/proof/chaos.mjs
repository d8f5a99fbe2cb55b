// @ts-check
// `npm run proof:chaos`: kills servers, clients, children and reapers with SIGKILL at random, and looks at what is
// left.
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import * as Crowd from "./lib/chaos-crowd.mjs"
import { finish, flags, progress } from "./lib/command.mjs"
import * as Peers from "./lib/peers.mjs"
import * as Proc from "./lib/proc.mjs"
import * as Random from "./lib/random.mjs"
import { ready, runtimeNames, serve } from "./lib/servers.mjs"

const options = flags(
  "proof:chaos",
  "Kills servers, clients and children with SIGKILL at random: no orphan, zombie, descriptor or reaper may be left.",
  {
    seconds: { says: "how long", standard: 300 },
    clients: { says: "clients at the same time", standard: 4 },
    runtime: { says: runtimeNames.join(", "), standard: "node", choices: runtimeNames },
    seed: { says: "where the random numbers begin", standard: 1 },
  },
)

ready()
const random = Random.make(options.seed)
const mark = randomUUID()
/** @import { Process } from "./lib/proc.mjs" */
/** @import { Server } from "./lib/servers.mjs" */
/** @import { Row } from "./lib/command.mjs" */

const tally = {
  servers: 0,
  bursts: 0,
  clients: 0,
  children: 0,
  reapers: 0,
  rounds: 0,
  resumed: 0,
  found: 0,
  /** @type {string[]} */
  failures: [],
}
const crowd = Crowd.make({ random, mark, tally })
const began = performance.now()
const elapsed = () => (performance.now() - began) / 1000
const roundSeconds = Math.min(5, options.seconds / 6)

/** How long processes may live after everything that needs them is dead, in milliseconds. */
const grace = 15_000

/** False if there is no such process. @param {number | undefined} pid */
const kill = (pid) => {
  try {
    if (pid === undefined) return false
    process.kill(pid, "SIGKILL")
    return true
  } catch {
    return false
  }
}

/** @param {Process} process */
const name = ({ pid, state, parent }) => `${pid} (${state}, of ${parent}) ${Proc.commandLine(pid)}`

/** Every process of this proof except the server, the clients and itself. @param {Server} server */
const children = (server) => {
  const known = crowd.pids()
  return Proc.marked(mark).filter(({ pid }) => pid !== server.pid && !known.has(pid))
}

/** @param {Server} server */
const killChild = (server) => {
  const victims = children(server)
  if (victims.length > 0 && kill(random.pick(victims).pid)) tally.children += 1
}

/** @param {Server} server */
const killReaper = (server) => {
  const victim = Proc.descendants(server.pid).find(Proc.isReaper)
  if (victim !== undefined && kill(victim.pid)) tally.reapers += 1
}

/**
 * Kills clients and children for so long, from when there are some. The server must survive.
 * @param {Server} server
 * @param {number} seconds
 * @param {{ reapers: boolean }} options
 */
const rage = async (server, seconds, { reapers }) => {
  crowd.fill(server.url, options.clients)
  await Proc.eventually(() => children(server).length > 0, grace)
  const end = elapsed() + seconds
  if (reapers) killReaper(server)
  while (elapsed() < end && server.running()) {
    crowd.fill(server.url, options.clients)
    if (random.chance(0.15)) await crowd.replace(server.url)
    else if (random.chance(0.8)) killChild(server)
    await sleep(random.below(150))
  }
  if (!server.running()) tally.failures.push(`the server died by itself: ${await server.gone}`)
}

/**
 * Kills every client, so that sessions expire and everything goes; the number of descriptors of the server then.
 * @param {Server} server
 * @param {number | undefined} wanted so many descriptors, which is waited for
 */
const settle = async (server, wanted) => {
  await crowd.clear()
  const left = () => Proc.descendants(server.pid).filter((one) => !Proc.isReaper(one))
  const clean = await Proc.eventually(() => left().length === 0 && children(server).length === 0, grace)
  if (!clean)
    tally.failures.push(
      `left while the server lives: ${[...left(), ...children(server)].map(name).join("; ")}`,
    )
  if (wanted === undefined) await sleep(300)
  else await Proc.eventually(() => Proc.descriptors(server.pid) <= wanted, grace)
  return Proc.descriptors(server.pid)
}

/**
 * Kills the server in the middle of everything. The snapshot is complete, because a stopped server starts nothing.
 * @param {Server} server
 */
const killServer = async (server) => {
  server.child.kill("SIGSTOP")
  const snapshot = Proc.descendants(server.pid)
  kill(server.pid)
  await server.gone
  tally.servers += 1
  const left = () => [...snapshot.filter(Proc.alive), ...children(server)]
  if (!(await Proc.eventually(() => left().length === 0, grace)))
    tally.failures.push(`outlived the server: ${left().map(name).join("; ")}`)
  await crowd.clear()
}

/**
 * Starts as many children at once as the server takes, so that it dies while one is being started.
 * @param {Server} server
 */
const burst = async (server) => {
  const { wire, call, handshake } = await Peers.connect(server)
  await handshake()
  const env = { PATH: process.env["PATH"], [Proc.markName]: mark }
  for (let count = 0; count < 400; count += 1)
    call("process/start", Peers.start(`b${count}`, ["sleep", "600"], { env, tty: random.chance(0.3) })).catch(
      () => {},
    )
  await sleep(random.below(200))
  void wire.over.then(() => wire.destroy())
  tally.bursts += 1
}

/** @type {number[][]} */
const descriptors = []
/**
 * The life of a server: rounds that it survives, and its death, perhaps in a burst of starts.
 * @param {{ rounds?: number, bursts?: boolean }} plan
 */
const epoch = async ({ rounds = 0, bursts = false }) => {
  const args = ["--detached-ttl-ms", "1000", "--retention-ms", "500"]
  const server = await serve({ runtime: options.runtime, transport: "ws", args, mark })
  /** @type {number[]} */
  const counts = []
  for (let round = 0; round < rounds && server.running(); round += 1) {
    await rage(server, roundSeconds, { reapers: round === 1 })
    counts.push(await settle(server, counts[0]))
    tally.rounds += 1
  }
  if (rounds > 0) descriptors.push(counts)
  if (counts.some((count) => count > (counts[0] ?? 0)))
    tally.failures.push(`descriptors of a server after each round: ${counts.join(", ")}`)
  if (!server.running()) return
  if (bursts) await burst(server)
  else await rage(server, 1 + (random.next() * roundSeconds) / 2, { reapers: false })
  await killServer(server)
  progress(`${elapsed().toFixed(0)} s: ${JSON.stringify({ ...tally, descriptors: counts })}`)
}

for (let count = 0; elapsed() < options.seconds && tally.failures.length === 0; count += 1)
  await epoch([{ rounds: 3 }, {}][count % 8] ?? { bursts: true })

const deaths = [
  `${tally.servers} servers (${tally.bursts} in a burst of starts)`,
  `${tally.clients} clients`,
  `${tally.children} children`,
  `${tally.reapers} reapers`,
].join(", ")
const counts = descriptors.map((list) => list.join("=")).join(" ")
/** @type {Row[]} */
const rows = [
  ["time", `${elapsed().toFixed(0)} s, seed ${options.seed}, ${options.clients} clients at a time`],
  ["killed", deaths],
  ["resumed", `${tally.resumed} sessions by another client, with ${tally.found} processes`],
  ["rounds", `${tally.rounds}, with so many descriptors of each server after them: ${counts}`],
  ["left over", `${Proc.marked(mark).length} processes`],
]
if (tally.servers === 0 || tally.children === 0) tally.failures.push("nothing was killed")
if (Proc.marked(mark).length > 0)
  tally.failures.push(`left at the end: ${Proc.marked(mark).map(name).join("; ")}`)
finish(`chaos on ${options.runtime}`, rows, tally.failures)
