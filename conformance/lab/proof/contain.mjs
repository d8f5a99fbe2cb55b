// @ts-check
// `npm run proof:contain`: starts trees of processes that try to get away, ends them in every way that there is, and
// counts who survives.
import { spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { finish, flags, progress } from "./lib/command.mjs"
import * as Peers from "./lib/peers.mjs"
import * as Proc from "./lib/proc.mjs"
import { ready, runtimeNames, serve } from "./lib/servers.mjs"
import { trees } from "./lib/trees.mjs"

/** @import { Server } from "./lib/servers.mjs" */
/** @import { Row } from "./lib/command.mjs" */

const kinds = ["cgroup", "subreaper", "pidns", "auto"]
const options = flags(
  "proof:contain",
  "Starts trees of processes that try to outlive their server, ends them, and counts the survivors.",
  {
    rounds: { says: "how many trees", standard: 2000 },
    children: { says: "children of the largest trees", standard: 1000 },
    contain: { says: `what contains them: ${kinds.join(", ")}`, standard: "cgroup", choices: kinds },
    survivors: { says: "how many may survive", standard: 0 },
    runtime: { says: runtimeNames.join(", "), standard: "node", choices: runtimeNames },
  },
)

ready()
const mark = randomUUID()
const names = Object.keys(trees)
/** How long processes may live after their end, in milliseconds. */
const grace = 20_000
/** The ways to end: most often the session goes, sometimes the server. */
const ends = /** @type {const} */ (["session", "terminate", "session", "server killed", "server ended"])
/** Every so many batches have a tree of the largest size. */
const largest = 25

const tally = { rounds: 0, survivors: 0, servers: 0 }
/** @type {Map<string, number>} */
const survivorsOf = new Map()

const start = async () => {
  tally.servers += 1
  const args = ["--contain", options.contain, "--detached-ttl-ms", "1", "--retention-ms", "1"]
  return serve({ runtime: options.runtime, transport: "ws", args })
}

/**
 * Starts one tree of each kind and waits until all are ready.
 * @param {Server} server
 * @param {number} batch
 */
const plant = async (server, batch) => {
  const waiting = new Set(names)
  /** @type {() => void} */
  let all = () => {}
  /** @type {Promise<void>} */
  const grown = new Promise((resolve) => (all = resolve))
  const peer = await Peers.connect(server, {
    notified: (method, { processId, chunk }) => {
      if (method === "process/output" && Buffer.from(chunk, "base64").includes("ready"))
        waiting.delete(processId)
      if (waiting.size === 0) all()
    },
  })
  await peer.handshake()
  const env = { PATH: process.env["PATH"] ?? "", [Proc.markName]: mark }
  const size = batch % largest === 0 ? options.children : 30
  for (const [name, tree] of Object.entries(trees))
    await peer.call("process/start", Peers.start(name, tree(size), { env }))
  await grown
  return peer
}

/**
 * @param {Server} server
 * @param {Awaited<ReturnType<typeof plant>>} peer
 * @param {(typeof ends)[number]} end
 */
const fell = async (server, peer, end) => {
  if (end === "terminate")
    await Promise.all(names.map((processId) => peer.call("process/terminate", { processId })))
  if (end === "server killed") server.child.kill("SIGKILL")
  if (end === "server ended") server.child.kill("SIGTERM")
  if (end.startsWith("server")) await server.gone
  peer.wire.destroy()
  if (await Proc.eventually(() => Proc.marked(mark).length === 0, grace)) return
  const left = Proc.marked(mark)
  tally.survivors += left.length
  survivorsOf.set(end, (survivorsOf.get(end) ?? 0) + left.length)
  progress(
    `${end}: ${left.length} survive: ${left
      .slice(0, 5)
      .map(({ pid }) => Proc.commandLine(pid))
      .join("; ")}`,
  )
  await Proc.eventually(() => {
    for (const { pid } of Proc.marked(mark)) spawnSync("kill", ["-9", String(pid)])
    return Proc.marked(mark).length === 0
  }, grace)
}

let server = await start()
for (let batch = 0; tally.rounds < options.rounds; batch += 1) {
  if (!server.running()) server = await start()
  const peer = await plant(server, batch)
  await fell(server, peer, ends[batch % ends.length] ?? "session")
  tally.rounds += names.length
  if (batch % 10 === 9) progress(JSON.stringify(tally))
}
if (server.running()) await server.stop()

const by = [...survivorsOf].map(([end, count]) => `${count} of ${end}`).join(", ")
/** @type {Row[]} */
const rows = [
  ["trees", `${tally.rounds}: ${names.join(", ")}`],
  ["largest", `${options.children} children`],
  ["servers", `${tally.servers}`],
  ["survivors", `${tally.survivors}${by && ` (${by})`}`],
]
const failures = tally.survivors > options.survivors ? [`${tally.survivors} processes survived`] : []
finish(`containment by ${options.contain} on ${options.runtime}`, rows, failures)
