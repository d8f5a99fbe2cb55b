// @ts-check
// `npm run proof:crowd`: a thousand connections with two processes each; then a hundred, of which half stop reading.
import { setTimeout as sleep } from "node:timers/promises"
import { finish, flags, mebibytes, progress, stackOf, within } from "./lib/command.mjs"
import * as Crowds from "./lib/crowds.mjs"
import * as Proc from "./lib/proc.mjs"
import { ready, runtimeNames, serve } from "./lib/servers.mjs"

const transports = ["ws", "unix", "tcp"]
const options = flags(
  "proof:crowd",
  "Many connections at once, and many of which half stop reading under flooding children.",
  {
    connections: { says: "connections, each with two processes", standard: 1000 },
    lines: { says: "lines that are timed", standard: 5000 },
    stalling: { says: "connections of which half stop reading", standard: 100 },
    mebibytes: { says: "what each child that nobody reads from writes in all", standard: 32 },
    seconds: { says: "how long readers are measured, with and without the others", standard: 10 },
    transport: { says: transports.join(", "), standard: "ws", choices: transports },
    runtime: { says: runtimeNames.join(", "), standard: "node", choices: runtimeNames },
  },
)

ready()
/** @import { Counted, Member } from "./lib/crowds.mjs" */
/** @import { Row } from "./lib/command.mjs" */
/** @import { Server } from "./lib/servers.mjs" */

/** @type {Row[]} */
const rows = []
/** @type {string[]} */
const failures = []
/** @param {string} name @param {string} value */
const row = (name, value) => {
  rows.push([name, value])
  progress(`${name}: ${value}`)
}
/** @param {number} value */
const millis = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`
/** @param {number} began */
const since = (began) => millis(performance.now() - began)

/** The server opens one descriptor for a connection and three for a process, and the runtime has some. */
const needed = options.connections * 7 + 200
if (Proc.fileLimit() < needed) {
  const limit = `the limit is ${Proc.fileLimit()}: run \`ulimit -n ${needed}\` first`
  process.stderr.write(`proof:crowd: needs ${needed} open files, ${limit}\n`)
  process.exit(2)
}

const begin = () =>
  serve({ runtime: options.runtime, transport: options.transport, args: ["--detached-ttl-ms", "500"] })

/** Ends the server and looks at what it leaves. @param {Server} server */
const end = async (server) => {
  const left = () => Proc.descendants(server.pid).filter((one) => !Proc.isReaper(one))
  if (!(await Proc.eventually(() => left().length === 0, 15_000)))
    failures.push(`${left().length} processes were left`)
  row(
    "after everybody left",
    `${mebibytes(Proc.rss(server.pid))}, ${Proc.descriptors(server.pid)} descriptors`,
  )
  const code = await server.stop()
  if (code !== 0) failures.push(`the server ended with ${code}`)
}

/** Lines through processes, one at a time and all at once. @param {readonly Member[]} members */
const timeLines = async (members) => {
  const cats = members.flatMap(({ echo }) => ["a", "b"].map((id) => () => echo(id)))
  await Crowds.each(members, 32, ({ echo }) => echo("a"))
  // A prime, so that neighbours are far apart.
  const some = Array.from({ length: options.lines }, (_, index) => cats[(index * 7919) % cats.length])
  const alone = await Crowds.each(some, 1, async (cat) => (await cat?.()) ?? Number.NaN)
  row("a line, one at a time", latency(alone))
  const began = performance.now()
  const together = await Promise.all(cats.map((cat) => cat()))
  row(`a line of all ${cats.length} at once`, `${latency(together)}, all in ${since(began)}`)
}

/** @param {readonly number[]} times */
const latency = (times) =>
  `p50 ${millis(Crowds.quantile(times, 0.5))}, p99 ${millis(Crowds.quantile(times, 0.99))}`

const crowd = async () => {
  const server = await begin()
  const count = options.connections
  const [idle, files] = [Proc.rss(server.pid), Proc.descriptors(server.pid)]
  let began = performance.now()
  const members = await Crowds.each(Array.from({ length: count }), 32, () => Crowds.member(server))
  const connected = Proc.rss(server.pid)
  const each = `${((connected - idle) / count / 1024).toFixed(1)} KiB each`
  row(
    `${count} connections`,
    `in ${since(began)}, ${mebibytes(idle)} before, ${mebibytes(connected)} after: ${each}`,
  )
  began = performance.now()
  await Crowds.each(members, 32, ({ cat }) => Promise.all([cat("a"), cat("b")]))
  const more = `${Proc.descriptors(server.pid) - files} descriptors more`
  row(`${count * 2} processes`, `started in ${since(began)}, ${mebibytes(Proc.rss(server.pid))}, ${more}`)
  const living = Proc.descendants(server.pid).filter((one) => !Proc.isReaper(one)).length
  if (living !== count * 2) failures.push(`${living} processes live instead of ${count * 2}`)
  await timeLines(members)
  row("memory then", mebibytes(Proc.rss(server.pid)))
  began = performance.now()
  await Crowds.each(members, 32, async ({ end: kill, wire }) => {
    await Promise.all([kill("a"), kill("b")])
    wire.close()
    await within(wire.over, 20_000, "the end of a connection")
  })
  row("everything closed", `in ${since(began)}`)
  await end(server)
}

/** @typedef {{ rate: number, memory: number, times: number[] }} Measured bytes per second, the most bytes, milliseconds */

/**
 * What readers get in some seconds: the rate of their floods, the latency of lines beside them, the most memory.
 * @param {Server} server
 * @param {readonly Member[]} readers
 * @param {readonly Counted[]} floods
 * @returns {Promise<Measured>}
 */
const measure = async (server, readers, floods) => {
  const total = () => floods.reduce((sum, { bytes }) => sum + bytes, 0)
  const [from, began] = [total(), performance.now()]
  /** @type {number[]} */
  const times = []
  let [over, memory] = [false, 0]
  const watch = setInterval(() => (memory = Math.max(memory, Proc.rss(server.pid))), 200)
  const echoing = Crowds.each(readers, readers.length, async ({ echo }) => {
    while (!over) {
      times.push(await echo("echo"))
      await sleep(20)
    }
  })
  await sleep(options.seconds * 1000)
  const rate = (total() - from) / ((performance.now() - began) / 1000)
  over = true
  await echoing
  clearInterval(watch)
  return { rate, memory, times }
}

/** @param {Measured} one */
const all = (one) => `${(one.rate / 1e6).toFixed(1)} MB/s, a line ${latency(one.times)}`
/** @param {number} one @param {number} other */
const ratio = (one, other) => (one / other).toFixed(2)
/** @param {Measured} one @param {Measured} other */
const ratios = (one, other) =>
  [0.5, 0.99]
    .map((share) => {
      const value = ratio(Crowds.quantile(one.times, share), Crowds.quantile(other.times, share))
      return `p${share * 100} ${value}`
    })
    .join(", ")

/**
 * Readers without floods, and then each with a flood, whose bytes must be right.
 * @param {Server} server
 * @param {readonly Member[]} readers
 * @param {string} id of their floods
 */
const measureBoth = async (server, readers, id) => {
  const quiet = await measure(server, readers, [])
  const floods = await Promise.all(readers.map(({ flood }) => flood(id)))
  const loud = await measure(server, readers, floods)
  for (const { wrong } of floods)
    if (wrong !== undefined) failures.push(`a reader got another byte: ${wrong}`)
  await Promise.all(readers.map(({ end: kill }) => kill(id)))
  return { quiet, loud }
}

/** The share of their throughput that readers keep beside others that do not read. */
const keptShare = 0.5

/**
 * Readers beside those that do not read: the best of three, because something else may take the machine meanwhile.
 * @param {Server} server
 * @param {readonly Member[]} readers
 * @param {{ loud: Measured }} alone
 */
const measureBeside = async (server, readers, alone) => {
  let best = await measureBoth(server, readers, "second")
  for (const id of ["third", "fourth"]) {
    if (best.loud.rate >= alone.loud.rate * keptShare) break
    const again = await measureBoth(server, readers, id)
    if (again.loud.rate > best.loud.rate) best = again
  }
  return best
}

/** Floods that nobody reads, of so many bytes; what has come of them. @param {readonly Member[]} members @param {number} size */
const floodUnread = async (members, size) => {
  const floods = await Promise.all(
    members.map(async ({ flood, wire }) => {
      const counted = await flood("flood", { bytes: size })
      wire.pause()
      return counted
    }),
  )
  await sleep(2000)
  return { floods, taken: floods.map(({ bytes }) => bytes) }
}

const stalling = async () => {
  const server = await begin()
  const half = Math.floor(options.stalling / 2)
  const members = await Crowds.each(Array.from({ length: half * 2 }), 16, () => Crowds.member(server))
  const [readers, stalled] = [members.slice(0, half), members.slice(half)]
  await Promise.all(readers.map(({ cat }) => cat("echo")))
  const alone = await measureBoth(server, readers, "first")
  row(`${half} readers alone`, `${all(alone.loud)}; a line ${latency(alone.quiet.times)} without floods`)

  const size = options.mebibytes * 2 ** 20
  const { floods, taken } = await floodUnread(stalled, size)
  const beside = await measureBeside(server, readers, alone)
  row(
    `with ${half} that do not read`,
    `${all(beside.loud)}; a line ${latency(beside.quiet.times)} without floods`,
  )
  const throughput = ratio(beside.loud.rate, alone.loud.rate)
  const withoutFloods = ratios(beside.quiet, alone.quiet)
  row(
    "the ratio",
    `throughput ${throughput}, ${ratios(beside.loud, alone.loud)}; without floods ${withoutFloods}`,
  )
  const cost = beside.loud.memory - alone.loud.memory
  const both = `${mebibytes(alone.loud.memory)} alone, ${mebibytes(beside.loud.memory)} with them`
  row("most memory", `${both}: ${mebibytes(cost / half)} for each that does not read`)
  if (floods.some(({ bytes }, index) => bytes !== taken[index])) failures.push("what nobody reads was read")
  if (taken.some((bytes) => bytes >= size)) failures.push("no child was blocked: --mebibytes is too small")
  if (cost > (half * 4 + 64) * 2 ** 20) failures.push(`memory grew by ${mebibytes(cost)}`)
  if (beside.loud.rate < alone.loud.rate * keptShare)
    failures.push(`throughput fell from ${all(alone.loud)} to ${all(beside.loud)}`)

  for (const { wire } of stalled) wire.resume()
  await within(Promise.all(floods.map(({ ended }) => ended)), 120_000, "the rest of what was not read")
  const lost = floods.filter(({ bytes, wrong }) => bytes !== size || wrong !== undefined)
  const whole = `${floods.length - lost.length} of ${floods.length} have all their ${options.mebibytes} MiB`
  row("after reading again", `${whole}, byte by byte`)
  if (lost.length > 0) failures.push(`lost: ${JSON.stringify(lost)}`)
  for (const { wire } of members) wire.close()
  await end(server)
}

try {
  if (options.connections > 0) await crowd()
  if (options.stalling > 0) await stalling()
} catch (error) {
  failures.push(stackOf(error))
}
finish(`crowd on ${options.runtime} over ${options.transport}`, rows, failures)
