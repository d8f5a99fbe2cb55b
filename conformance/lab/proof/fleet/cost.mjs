// @ts-check
// Proof 8: what a router costs: throughput and echo beside those of a direct connection, and the cost of a session
// among few and among many.
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { WebSocket } from "real-ws"
import { mebibytes, progress } from "../lib/command.mjs"
import * as Fleet from "../lib/fleet.mjs"
import { fileLimit, rss } from "../lib/proc.mjs"

/** @import { Proof } from "../fleet.mjs" */

/** Milliseconds of processor time that the threads of a process have used. */
const cpu = (/** @type {number | undefined} */ pid) => {
  const threads = readdirSync(`/proc/${pid}/task`)
  const used = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"))
  return used.reduce((sum, text) => sum + Number(text.split(" ")[0]), 0) / 1_000_000
}

/** An echo, and output that nobody waits for. */
const measure = async (/** @type {string} */ url, /** @type {number} */ bytes) => {
  const client = await Fleet.connect([url])
  const cat = await client.start({ argv: ["cat"], pipeStdin: true })
  const lines = cat.lines()[Symbol.asyncIterator]()
  /** @type {number[]} */
  const echoes = []
  for (let echo = -50; echo < 400; echo++) {
    const began = performance.now()
    await cat.write("x\n")
    await lines.next()
    if (echo >= 0) echoes.push(performance.now() - began)
  }
  const since = performance.now()
  const flood = await client.start({ argv: ["head", "-c", String(bytes), "/dev/zero"] })
  let got = 0
  for await (const chunk of flood.output()) got += chunk.length
  const rate = got / 1_000_000 / ((performance.now() - since) / 1000)
  await cat.terminate()
  await client.close()
  return { echo: Fleet.quantile(echoes, 0.5), rate }
}

/** A session, of which only its requests are known. */
const session = async (/** @type {string} */ url) => {
  const socket = new WebSocket(url)
  let last = 0
  /** @type {Map<number, () => void>} */
  const asked = new Map()
  socket.on("message", (data) => {
    const { id, error } = JSON.parse(String(data))
    if (error !== undefined) throw new Error(`a session is refused: ${error.message}`)
    asked.get(id)?.()
    asked.delete(id)
  })
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
  const ask = (/** @type {string} */ method, /** @type {object} */ params) =>
    /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const id = (last += 1)
        asked.set(id, resolve)
        socket.send(JSON.stringify({ id, method, params }))
      })
    )
  await ask("initialize", { clientName: "proof" })
  socket.send(JSON.stringify({ method: "initialized" }))
  return { ask: () => ask("environment/status", {}), end: () => socket.terminate() }
}

/** @typedef {import("../lib/command.mjs").Row} Row */

/** Output and echoes of one host, directly and by a router, in turns. */
const compare = async (/** @type {Fleet.Fleet} */ fleet, /** @type {number} */ megabytes) => {
  const [url = ""] = fleet.urls()
  const router = fleet.routers[0]?.child.pid
  /** @type {{ direct: Awaited<ReturnType<typeof measure>>, routed: Awaited<ReturnType<typeof measure>>, used: number }[]} */
  const rounds = []
  for (let round = 0; round < 4; round++) {
    const direct = await measure(fleet.direct, megabytes * 1_000_000)
    const [before, since] = [cpu(router), performance.now()]
    const routed = await measure(url, megabytes * 1_000_000)
    const used = (cpu(router) - before) / (performance.now() - since)
    if (round > 0) rounds.push({ direct, routed, used })
  }
  const middle = (/** @type {(round: (typeof rounds)[number]) => number} */ of) =>
    Fleet.quantile(rounds.map(of), 0.5)
  const ratio = middle(({ direct, routed }) => routed.rate / direct.rate)
  const more = middle(({ direct, routed }) => routed.echo - direct.echo)
  /** @type {Row[]} */
  const rows = [
    [
      "output, direct and by a router",
      `${middle(({ direct }) => direct.rate).toFixed(0)} and ${middle(({ routed }) => routed.rate).toFixed(0)} MB/s, ${ratio.toFixed(2)}`,
    ],
    [
      "an echo, direct and by a router (p50)",
      `${middle(({ direct }) => direct.echo).toFixed(2)} and ${middle(({ routed }) => routed.echo).toFixed(2)} ms, ${more.toFixed(2)} ms more`,
    ],
    [
      "processor time of the router meanwhile",
      `${(middle(({ used }) => used) * 100).toFixed(0)} % of a core`,
    ],
  ]
  /** @type {string[]} */
  const failures = []
  if (ratio < 0.8) failures.push(`${ratio.toFixed(2)} of the throughput`)
  if (more > 0.3) failures.push(`${more.toFixed(2)} ms more for an echo`)
  return { rows, failures }
}

/** What sessions cost, among few and among many. */
const grow = async (/** @type {Fleet.Fleet} */ fleet, /** @type {number} */ sessions) => {
  const [url = ""] = fleet.urls()
  const router = fleet.routers[0]?.child.pid
  /** @type {Row[]} */
  const rows = []
  /** @type {string[]} */
  const failures = []
  /** @type {Awaited<ReturnType<typeof session>>[]} */
  const open = []
  const empty = rss(router)
  /** @type {number[]} */
  const memory = []
  // A router has two connections for each session, and may open so many files.
  const most = Math.floor((fileLimit() - 200) / 2)
  for (const step of [10, 100, 1_000, 10_000].filter((each) => each <= sessions)) {
    const count = Math.min(step, most)
    const [had, before, since] = [open.length, cpu(router), performance.now()]
    while (open.length < count) {
      const some = Array.from({ length: Math.min(20, count - open.length) }, () => session(url))
      open.push(...(await Promise.all(some)))
    }
    const [started, took] = [cpu(router) - before, performance.now() - since]
    // What the starts have left behind is collected, and not counted with the requests.
    await sleep(5_000)
    const resting = cpu(router)
    await sleep(5_000)
    const [asking, asks] = [cpu(router), 10_000]
    /** @type {number[]} */
    const echoes = []
    for (let ask = 0; ask < asks; ask++) {
      const began = performance.now()
      await open[(ask * 7919) % count]?.ask()
      echoes.push(performance.now() - began)
    }
    const perAsk = ((cpu(router) - asking) / asks) * 1_000
    const bytes = rss(router)
    memory.push(bytes)
    const added = count - had
    rows.push([
      `${count} sessions`,
      [
        `router ${mebibytes(bytes)} (${((bytes - empty) / count / 1024).toFixed(0)} KiB each)`,
        `start ${(took / added).toFixed(1)} ms, ${(started / added).toFixed(2)} ms of the router's`,
        `request ${Fleet.quantile(echoes, 0.5).toFixed(2)} ms, ${perAsk.toFixed(0)} µs of the router's`,
        `${((asking - resting) / 50).toFixed(1)} % of a core when nothing happens`,
      ].join("; "),
    ])
    progress(rows.at(-1)?.join(": ") ?? "")
  }
  if ((memory.at(-1) ?? 0) > 2 ** 30)
    failures.push(`${mebibytes(memory.at(-1) ?? 0)} for ${sessions} sessions`)
  for (const each of open) each.end()
  return { rows, failures }
}

/** @type {Proof} */
export const cost = async ({ directory, folder, options }) => {
  const beside = { host: ["--max-connections=20000", "--max-sessions=20000"] }
  const fleet = await Fleet.start({ directory, folder, routers: 1, hosts: 1, beside })
  const compared = await compare(fleet, options.megabytes)
  const grown = await grow(fleet, options.sessions)
  return { rows: [...compared.rows, ...grown.rows], failures: [...compared.failures, ...grown.failures] }
}
