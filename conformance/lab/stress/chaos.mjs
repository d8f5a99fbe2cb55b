// @ts-check
// Kills servers (also in bursts of starts), clients, children and reapers at random, and looks at what is left: no
// orphan, zombie, descriptor or reaper. A client dies by the end of its socket; often another takes up its session.
import { spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { progress, randomOf, stress } from "./lib/command.mjs"
import * as Peers from "./lib/wires.mjs"
import * as Proc from "./lib/proc.mjs"
import { onRuntime, serve } from "./lib/servers.mjs"

/** Children of all kinds: silent, loud, with descendants, ignoring signals, reading, short. */
const silent = "sleep 600"
const [tree, deaf] = [`${silent} & ${silent} & wait`, `trap '' TERM INT HUP; ${silent}; ${silent}`]
const scripts = [silent, `yes | head -c 3000000; ${silent}`, tree, deaf, "exec cat", "exit"]
const ids = ["c0", "c1", "c2", "c3", "c4", "c5"]
const chunk = Buffer.from("hello\n").toString("base64")

export const chaos = stress({
  says: "kills servers, clients and children at random: nothing may be left behind",
  options: {
    seconds: { says: "how long", usual: 60 },
    runtime: onRuntime,
    seed: { says: "where the random numbers begin", usual: 1 },
  },
  play: async (options, { row, fail, failed, over }) => {
    const random = randomOf(options.seed)
    const mark = randomUUID()
    const env = { PATH: process.env["PATH"], [Proc.markName]: mark }
    /** The numbers of kills, and of what went on. @type {Record<string, number>} */
    const tally = {}
    const count = (/** @type {string} */ name, by = 1) => (tally[name] = (tally[name] ?? 0) + by)
    const roundMillis = Math.min(5000, (options.seconds * 1000) / 6)
    const args = ["--detached-ttl-ms", "1000", "--retention-ms", "500"]
    const begin = () => serve({ runtime: options.runtime, transport: "ws", args, mark })
    let server = await begin()

    /** A client that keeps children of all kinds, and checks that their seqs only grow. */
    const join = async (resumeSessionId = "") => {
      /** @type {Map<string, number>} */
      const seqs = new Map()
      const { wire, call, handshake } = await Peers.connect(server, (method, { processId, seq }) => {
        const before = seqs.get(processId) ?? 0
        if (seq <= before) fail(`${method} of ${processId} has seq ${seq} behind ${before}`)
        if (method === "process/closed") seqs.delete(processId)
        else seqs.set(processId, seq)
      })
      const session = await handshake(resumeSessionId === "" ? {} : { resumeSessionId }).catch(() =>
        handshake(),
      )
      if (session === resumeSessionId) {
        const reads = ids.map((processId) => call("process/read", { processId, maxBytes: 1000 }))
        const found = (await Promise.allSettled(reads)).filter(({ status }) => status === "fulfilled")
        count("sessions resumed")
        count("processes found in them", found.length)
      }
      const act = () => {
        const processId = random.pick(ids)
        const how = { env, tty: random.chance(0.3), pipeStdin: random.chance(0.5) }
        const start = Peers.start(processId, ["sh", "-c", random.pick(scripts)], how)
        if (random.chance(0.4)) return call("process/start", start)
        if (random.chance(0.3))
          return call("process/write", { processId, chunk, writeId: `${random.next()}` })
        if (random.chance(0.5)) return call("process/terminate", { processId })
        return call("process/signal", { processId, signal: "interrupt" })
      }
      const living = async () => {
        // Requests about unknown ids, and starts with ids in use, are refused: that is wanted.
        for (; !wire.ended; await sleep(random.below(30))) await act().catch(() => {})
      }
      return { wire, session, done: living() }
    }
    /** @type {Awaited<ReturnType<typeof join>>[]} */
    let clients = []
    const fill = async () => {
      clients = clients.filter(({ wire }) => !wire.ended)
      while (clients.length < 4) clients.push(await join())
    }
    const clear = () => Promise.all(clients.map(({ wire, done }) => (wire.destroy(), done)))

    /** Every process of this play except the server. */
    const children = () => Proc.marked(mark).filter(({ pid }) => pid !== server.pid)
    const kill = (/** @type {string} */ kind, /** @type {Proc.Process | undefined} */ victim) => {
      if (victim !== undefined && spawnSync("kill", ["-9", String(victim.pid)]).status === 0) count(kind)
    }

    /** Kills clients and children for so long. The server must survive. */
    const rage = async (/** @type {number} */ millis, reapers = false) => {
      await fill()
      await Proc.eventually(() => children().length > 0, 15_000)
      const end = performance.now() + millis
      if (reapers) kill("reapers", Proc.descendants(server.pid).find(Proc.isReaper))
      for (; performance.now() < end && server.running(); await sleep(random.below(150))) {
        await fill()
        if (random.chance(0.8)) kill("children", random.pick([undefined, ...children()]))
        if (random.chance(0.8)) continue
        const { wire, session } = random.pick(clients)
        count("clients")
        wire.destroy()
        await sleep(random.below(300))
        clients.push(await join(random.chance(0.8) ? session : ""))
      }
      if (!server.running()) fail(`the server died by itself: ${await server.gone}`)
    }

    /** Kills every client, so that sessions expire and everything goes; the number of descriptors of the server then. */
    const settle = async (wanted = Number.POSITIVE_INFINITY) => {
      await clear()
      await Proc.vanish(() => [...Proc.left(server.pid), ...children()], fail, "left while the server lives")
      await sleep(300)
      await Proc.eventually(() => Proc.descriptors(server.pid) <= wanted, 15_000)
      return Proc.descriptors(server.pid)
    }

    /** Starts as many children at once as the server takes, so that it dies while one is being started. */
    const burst = async () => {
      const { call, handshake } = await Peers.connect(server)
      await handshake()
      for (let at = 0; at < 400; at += 1) {
        const params = Peers.start(`b${at}`, ["sleep", "600"], { env, tty: at % 3 === 0 })
        call("process/start", params).catch(() => {})
      }
      await sleep(random.below(200))
      count("bursts of starts")
    }

    /** Kills the server in the middle of everything. The snapshot is complete: a stopped server starts nothing. */
    const killServer = async () => {
      server.child.kill("SIGSTOP")
      const snapshot = Proc.descendants(server.pid)
      server.child.kill("SIGKILL")
      await server.gone
      count("servers")
      await Proc.vanish(() => [...snapshot.filter(Proc.alive), ...children()], fail, "outlived the server")
      await clear()
    }

    for (let epoch = 0; !over() && !failed(); epoch += 1) {
      // The life of a server: rounds that it survives, and its death, most often in a burst of starts.
      if (epoch > 0) server = await begin()
      /** @type {number | undefined} */
      let descriptors
      for (let round = 0; epoch % 8 === 0 && round < 3 && server.running(); round += 1) {
        await rage(roundMillis, round === 1)
        const now = await settle(descriptors)
        descriptors ??= now
        if (now > descriptors)
          fail(`${now} descriptors of a server after a round, ${descriptors} after the first`)
        count("rounds survived")
      }
      await (epoch % 8 > 1 ? burst() : rage(1000 + random.below(roundMillis / 2)))
      await killServer()
      progress(JSON.stringify(tally))
    }
    for (const [name, number] of Object.entries(tally)) row(name, String(number))
    if (!["servers", "children", "clients"].every((name) => name in tally)) fail("not all were killed")
    await Proc.vanish(() => Proc.marked(mark), fail, "left at the end")
  },
})
