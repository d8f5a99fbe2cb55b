// @ts-check
// Measures a row of the guard: the same work on the control server and on procwire in turn, as pairs.
import { fileURLToPath } from "node:url"
import { descendants } from "../../stress/lib/proc.mjs"
import { serve } from "../../stress/lib/servers.mjs"
import { serverOn } from "../../run/runtimes.mjs"
import { cpu, resident } from "./accounts.mjs"
import { bench, guardRows } from "./guard-rows.mjs"

/**
 * @import { GuardRow } from "./guard-rows.mjs"
 * @import { Measured } from "./guard-verdict.mjs"
 *
 * @typedef {object} Measuring
 * @property {string | undefined} command of another server than procwire on this Node
 * @property {number} planted percents of CPU time that procwire wastes
 * @property {number} reps pairs
 * @property {number} seconds after which half of them are enough
 *
 * @typedef {{ cpu: number, least: number | undefined, memory?: number }} Sample milliseconds; KiB
 */

/** @param {string} path */
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
/**
 * The engine compiles and collects on the one thread that runs the server. On threads of its own it would do so when
 * the machine lets it, and until then the slow code runs: the same work would cost twice as much under load.
 */
const steady = "--single-threaded"
const controlCommand = [process.execPath, steady, here("../control/server.mjs")].join(" ")
export const rowNames = ["cold", ...guardRows.map(({ id }) => id)]

/** @param {Measuring} measuring */
const subject = ({ command, planted }) => {
  if (command !== undefined) return command
  const [node = "", ...rest] = serverOn("node")
  process.env["BENCH_PLANTED"] = String(planted)
  const slow = planted > 0 ? ["--import", here("../control/slow.mjs")] : []
  return [node, steady, ...slow, ...rest].join(" ")
}

/** @param {string} command @param {"stdio" | "ws"} transport */
const begin = (command, transport) => serve({ runtime: "node", transport, command })

/** @param {number | undefined} pid */
const tree = (pid) => [...(pid === undefined ? [] : [pid]), ...descendants(pid).map((one) => one.pid)]

/** The share of the rounds that the quickest tenth needs at most: what the machine adds is not in there. @param {number[]} list */
const quick = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 10)]

/** A start of the server up to its first answer. @param {string} command @returns {Promise<Sample>} */
const coldStart = async (command) => {
  const server = await begin(command, "stdio")
  const { peer } = await bench(server)
  const pids = tree(server.pid)
  const sample = { cpu: cpu(pids), least: undefined, memory: resident(pids) }
  peer.wire.close()
  await server.gone
  return sample
}

/**
 * A server that is up, and does the work of a row as often as it is asked.
 * @param {GuardRow} row
 * @param {string} command
 */
const worker = async (row, command) => {
  const server = await begin(command, row.transport)
  const client = await bench(server)
  // The server and its helpers, before it has other children.
  const pids = tree(server.pid)
  const work = await row.prepare(client)
  return {
    /** @returns {Promise<Sample>} */
    sample: async () => {
      const before = cpu(pids)
      const took = await work()
      return { cpu: cpu(pids) - before, least: took ? quick(took) : undefined }
    },
    stop: async () => {
      client.peer.wire.close()
      await server.stop()
    },
  }
}

/**
 * Pairs of samples of the control and of the subject; each is first as often as the other.
 * @param {Pick<Measuring, "reps" | "seconds">} measuring
 * @param {() => Promise<Sample>} control
 * @param {() => Promise<Sample>} ours
 */
const pairs = async ({ reps, seconds }, control, ours) => {
  const enough = performance.now() + seconds * 1000
  /** @type {{ control: Sample, ours: Sample }[]} */
  const all = []
  for (let rep = 0; rep < reps && (rep < reps / 2 || performance.now() < enough); rep += 1) {
    const first = rep % 2 === 0 ? control : ours
    const one = await first()
    const other = await (first === control ? ours : control)()
    all.push(first === control ? { control: one, ours: other } : { control: other, ours: one })
  }
  return all
}

/**
 * Samples until five in a row were no cheaper than one before: an engine compiles what it has run often, under load
 * later, and until then a sample costs several times as much.
 * @param {() => Promise<Sample>} sample
 */
const warmed = async (sample) => {
  let [least, since] = [Number.POSITIVE_INFINITY, 0]
  for (let count = 0; since < 5 && count < 40; count += 1) {
    const { cpu: cost } = await sample()
    since = cost < least * 0.95 ? 0 : since + 1
    least = Math.min(least, cost)
  }
}

/** @param {string} name @param {Measuring} measuring */
const sampled = async (name, measuring) => {
  const row = guardRows.find(({ id }) => id === name)
  const command = subject(measuring)
  if (row === undefined)
    return pairs(
      measuring,
      () => coldStart(controlCommand),
      () => coldStart(command),
    )
  const control = await worker(row, controlCommand)
  const ours = await worker(row, command)
  await warmed(control.sample)
  await warmed(ours.sample)
  const all = await pairs(measuring, control.sample, ours.sample)
  await Promise.all([control.stop(), ours.stop()])
  return all
}

/** Servers of each kind, one after the other: what an engine makes of the same code differs from start to start. */
const instances = 2

/**
 * The mean of the lower half: what the machine does meanwhile only adds, to some samples more than to others.
 * @param {readonly (number | undefined)[]} list
 */
const lower = (list) => {
  const sorted = list.map((one) => one ?? Number.NaN).sort((a, b) => a - b)
  const kept = sorted.slice(0, Math.ceil(sorted.length / 2))
  return kept.reduce((sum, one) => sum + one, 0) / kept.length
}

/**
 * What a row has come to; two results where its rounds are timed, or memory is measured.
 * @param {string} name
 * @param {Measuring} measuring
 * @returns {Promise<Measured[]>}
 */
export const measureRow = async (name, measuring) => {
  /** @type {Awaited<ReturnType<typeof sampled>>[]} */
  const runs = []
  for (let run = 0; run < instances; run += 1) runs.push(await sampled(name, measuring))
  /** @param {"ours" | "control"} whose @param {(one: Sample) => number | undefined} of */
  const least = (whose, of) => Math.min(...runs.map((pairs) => lower(pairs.map((pair) => of(pair[whose])))))
  /** @param {string} as @param {(one: Sample) => number | undefined} of @returns {Measured[]} */
  const measured = (as, of) => {
    const ratio = least("ours", of) / least("control", of)
    return Number.isFinite(ratio) ? [{ name: as, ratio }] : []
  }
  return [
    ...measured(name, (one) => one.cpu),
    ...measured(`${name}, time`, (one) => one.least),
    ...measured(`${name}, memory`, (one) => one.memory),
  ]
}
