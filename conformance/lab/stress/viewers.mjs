// @ts-check
// A flood with one owner, and many who look on and may miss something. Rounds without and with viewers alternate, each
// with a server of its own. What counts is the processor time that the server takes for a mebibyte of the owner, which
// a busy machine changes least.
import { setTimeout as sleep } from "node:timers/promises"
import { mebibytes, progress, quantile, stress } from "./lib/command.mjs"
import * as Peers from "./lib/wires.mjs"
import * as Proc from "./lib/proc.mjs"
import { onRuntime, serve } from "./lib/servers.mjs"

/** The least share of the owner's throughput that may be left; a busy machine alone takes a third of it. */
const keptShare = 0.5

export const viewers = stress({
  says: "lets two hundred look on at a flood, and looks what that costs its owner",
  options: {
    viewers: { says: "clients that look on", standard: 200 },
    seconds: { says: "how long each round is measured", standard: 5 },
    rounds: { says: "rounds without and with viewers", standard: 3 },
    runtime: onRuntime,
  },
  play: async (options, { row, fail }) => {
    /** A client, and the bytes that it gets from when it has done what it wants. */
    const client = async (/** @type {Parameters<typeof Peers.connect>[0]} */ server, owns = false) => {
      const { wire, call, handshake } = await Peers.connect(server)
      const counted = { bytes: 0 }
      await handshake()
      const look = { session: 1, processId: "flood", as: "seen", policy: "skip", afterSeq: 2 ** 50 }
      const own = Peers.start("flood", ["cat", "/dev/zero"])
      await (owns ? call("process/start", own) : call("process/attach", look))
      wire.take = (message) => void (counted.bytes += message.length)
      return counted
    }
    const round = async (/** @type {number} */ count) => {
      const server = await serve({ runtime: options.runtime, transport: "unix" })
      const owner = await client(server, true)
      const others = await Promise.all(Array.from({ length: count }, () => client(server)))
      await sleep(500)
      const [before, cpu] = [owner.bytes, Proc.cpu(server.pid)]
      await sleep(options.seconds * 1000)
      const got = (owner.bytes - before) / 2 ** 20
      const cost = ((Proc.cpu(server.pid) - cpu) / got) * 1000
      const memory = Proc.rss(server.pid)
      await server.stop()
      progress(`${count} viewers: ${got.toFixed(0)} MiB, ${cost.toFixed(2)} ms of the server for a MiB`)
      return { count, cost, memory, seen: others.map(({ bytes }) => bytes) }
    }
    /** @type {Awaited<ReturnType<typeof round>>[]} */
    const all = []
    for (let at = 0; at < options.rounds; at++)
      for (const count of [0, options.viewers]) all.push(await round(count))
    const of = (/** @type {number} */ count) => all.filter((one) => one.count === count)
    // Of each kind the round that was disturbed least.
    const cost = (/** @type {number} */ count) => Math.min(...of(count).map((one) => one.cost))
    const memory = (/** @type {number} */ count) => Math.max(...of(count).map((one) => one.memory))
    const share = cost(0) / cost(options.viewers)
    const more = (memory(options.viewers) - memory(0)) / options.viewers
    const seen = all.flatMap((one) => one.seen)
    row("owner's throughput by the server's processor time", `${(share * 100).toFixed(0)} %`)
    row("memory of the server for each viewer", mebibytes(more))
    row("bytes of a viewer (least, median)", `${Math.min(...seen)}, ${quantile(seen, 0.5)}`)
    if (!(share >= keptShare)) fail(`viewers leave the owner ${share.toFixed(2)} of its throughput`)
    // What its connection may hold, and as much again.
    if (more > 3 * 2 ** 20) fail(`memory grew by ${mebibytes(more)} for each viewer`)
    if (Math.min(...seen) < 1000) fail("a viewer got nothing")
  },
})
