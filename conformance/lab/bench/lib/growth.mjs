// @ts-check
// Servers that hold more and more of one thing, side by side: what a start, their memory and their idleness cost.
import { setTimeout as sleep } from "node:timers/promises"
import { connect, start } from "../../stress/lib/wires.mjs"
import { within } from "../../stress/lib/command.mjs"
import { descendants } from "../../stress/lib/proc.mjs"
import { serve } from "../../stress/lib/servers.mjs"
import { cpu, naps, resident } from "./accounts.mjs"
import { median } from "./figures.mjs"

/**
 * @typedef {"process" | "connection" | "finished"} Kind what a server holds: idle processes, idle connections, or
 * processes that have ended and can still be read
 *
 * @typedef {object} Level a server that holds so many
 * @property {number} count
 * @property {() => Promise<number>} start milliseconds from a start to its answer
 * @property {() => number} memory KiB
 * @property {() => { cpu: number, naps: number }} spent milliseconds; times that a thread went to sleep
 * @property {number} empty KiB before it held anything
 * @property {() => Promise<void>} stop
 *
 * @typedef {object} Grown
 * @property {number} count
 * @property {number} startMillis the median
 * @property {number} startCpu milliseconds of CPU time of the server for each of them
 * @property {number} kibEach memory for each
 * @property {number} cpuPerSecond milliseconds of CPU time in a second in which nothing happens
 * @property {number} napsPerSecond
 * @property {number} memory KiB in all
 */

/** @type {readonly Kind[]} */
export const kinds = ["process", "connection", "finished"]

/** Acts so often, at most 32 at a time. @param {number} count @param {() => Promise<unknown>} act */
const many = async (count, act) => {
  let left = count
  const one = async () => {
    while (left > 0) {
      left -= 1
      await act()
    }
  }
  await Promise.all(Array.from({ length: Math.min(32, count) }, one))
}

/**
 * A server with so many of a kind.
 * @param {Kind} kind
 * @param {number} count
 * @param {string} command
 * @returns {Promise<Level>}
 */
const level = async (kind, count, command) => {
  const server = await serve({ runtime: "node", transport: kind === "connection" ? "ws" : "stdio", command })
  /** @type {Map<string, () => void>} */
  const closing = new Map()
  const peer = await connect(server, (method, { processId }) => {
    if (method === "process/closed") closing.get(processId)?.()
  })
  await peer.handshake()
  let last = 0
  const pids = [server.pid ?? 0, ...descendants(server.pid).map(({ pid }) => pid)]
  const ended = async () => {
    const id = `p${(last += 1)}`
    /** @type {Promise<void>} */
    const closed = new Promise((resolve) => closing.set(id, resolve))
    const began = performance.now()
    await peer.call("process/start", start(id, ["/bin/true"]))
    const took = performance.now() - began
    await closed
    closing.delete(id)
    return took
  }
  /** @type {Record<Kind, () => Promise<unknown>>} */
  const add = {
    process: () => peer.call("process/start", start(`p${(last += 1)}`, ["sleep", "3600"])),
    connection: async () => void (await (await connect(server)).handshake()),
    finished: ended,
  }
  await many(60, ended)
  await sleep(500)
  const empty = resident(pids)
  await many(count, add[kind])
  return {
    count,
    empty,
    start: ended,
    memory: () => resident(pids),
    spent: () => ({ cpu: cpu(pids), naps: naps(pids) }),
    stop: async () => {
      peer.wire.close()
      server.child.kill("SIGTERM")
      // Thousands of processes end with it, on a machine that may be busy.
      await within(server.gone, 60_000, "").catch(() => server.child.kill("SIGKILL"))
    },
  }
}

/**
 * @typedef {object} How
 * @property {string} command of the server
 * @property {number} rounds of starts
 * @property {number} seconds in which nothing happens
 * @property {number} settle seconds before that
 * @property {(text: string) => void} progress
 */

/**
 * Figures for each count. All servers are up at once and take turns, so that the load of the machine is the same.
 * @param {Kind} kind
 * @param {readonly number[]} counts
 * @param {How} how
 * @returns {Promise<Grown[]>}
 */
export const grow = async (kind, counts, { command, rounds, seconds, settle, progress }) => {
  /** @type {Level[]} */
  const levels = []
  for (const count of counts) {
    progress(`${kind}: ${count} …`)
    levels.push(await level(kind, count, command))
  }
  // Engines collect some seconds after the last work.
  await sleep(settle * 1000)
  const memory = levels.map((one) => one.memory())
  const before = levels.map((one) => one.spent())
  const began = performance.now()
  await sleep(seconds * 1000)
  const took = (performance.now() - began) / 1000
  const after = levels.map((one) => one.spent())
  /** @type {number[][]} */
  const times = levels.map(() => [])
  const idle = levels.map((one) => one.spent().cpu)
  for (let round = 0; round < rounds; round += 1)
    for (const [index, one] of levels.entries()) times[index]?.push(await one.start())
  const busy = levels.map((one) => one.spent().cpu)
  for (const one of levels) await one.stop()
  return levels.map(({ count, empty }, index) => {
    const [was, is] = [before[index] ?? { cpu: 0, naps: 0 }, after[index] ?? { cpu: 0, naps: 0 }]
    return {
      count,
      startMillis: median(times[index] ?? []),
      startCpu: ((busy[index] ?? 0) - (idle[index] ?? 0)) / rounds,
      kibEach: ((memory[index] ?? 0) - empty) / count,
      cpuPerSecond: (is.cpu - was.cpu) / took,
      napsPerSecond: (is.naps - was.naps) / took,
      memory: memory[index] ?? 0,
    }
  })
}

/** A line of the table is flat if its last figure is at most so many times its first. */
const flat = 1.15

/**
 * Whether a kind is flat, by figure: starts and idle CPU against the least count, memory by what one more takes between
 * the last two counts against what it takes between the two before.
 * @param {readonly Grown[]} grown
 */
export const verdicts = (grown) => {
  const [first] = grown
  const most = grown.at(-1)
  if (first === undefined || most === undefined) return []
  /** @param {number} factor */
  const says = (factor) => (factor <= flat ? "flat" : `${factor.toFixed(2)}×`)
  /** @param {Grown | undefined} from @param {Grown | undefined} to */
  const slope = (from, to) => (from && to ? (to.memory - from.memory) / (to.count - from.count) : Number.NaN)
  const [a, b, c] = grown.slice(-3)
  const steeper = slope(b, c) / slope(a, b)
  const idle = most.cpuPerSecond - first.cpuPerSecond
  return [
    ["start", says(most.startMillis / first.startMillis)],
    ["CPU of a start", says(most.startCpu / first.startCpu)],
    ["memory", Number.isFinite(steeper) ? says(steeper) : "–"],
    // A thousandth of a core is what the least server takes.
    ["idle CPU", idle <= 1 ? "flat" : `${idle.toFixed(1)} ms/s more`],
  ]
}
