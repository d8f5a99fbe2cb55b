// `npm run proof:crowd`: a thousand connections with two processes each, and a hundred of which half stop reading.
import { setTimeout as sleep } from "node:timers/promises"
import { finish, flags, mebibytes, progress, within } from "./lib/command.mjs"
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
const rows = []
const failures = []
const row = (name, value) => {
  rows.push([name, value])
  progress(`${name}: ${value}`)
}
const millis = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`
const since = (began) => millis(performance.now() - began)

/** A connection takes one file of the server and each process three; some for the runtime. */
const needed = options.connections * 7 + 200
if (Proc.fileLimit() < needed) {
  process.stderr.write(
    `proof:crowd: needs ${needed} open files, the limit is ${Proc.fileLimit()}: run \`ulimit -n ${needed}\` first\n`,
  )
  process.exit(2)
}

const begin = () =>
  serve({ runtime: options.runtime, transport: options.transport, args: ["--detached-ttl-ms", "500"] })

/** Ends the server and looks at what was below it. */
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

const crowd = async () => {
  const server = await begin()
  const count = options.connections
  const [idle, files] = [Proc.rss(server.pid), Proc.descriptors(server.pid)]
  let began = performance.now()
  const members = await Crowds.each(Array.from({ length: count }), 32, () => Crowds.member(server))
  const connected = Proc.rss(server.pid)
  row(
    `${count} connections`,
    `in ${since(began)}, ${mebibytes(idle)} before, ${mebibytes(connected)} after: ${((connected - idle) / count / 1024).toFixed(1)} KiB each`,
  )
  began = performance.now()
  await Crowds.each(members, 32, ({ cat }) => Promise.all([cat("a"), cat("b")]))
  row(
    `${count * 2} processes`,
    `started in ${since(began)}, ${mebibytes(Proc.rss(server.pid))}, ${Proc.descriptors(server.pid) - files} descriptors more`,
  )
  const living = Proc.descendants(server.pid).filter((one) => !Proc.isReaper(one)).length
  if (living !== count * 2) failures.push(`${living} processes live instead of ${count * 2}`)
  await Crowds.each(members, 32, ({ echo }) => echo("a"))
  const alone = await Crowds.each(Array.from({ length: options.lines }), 1, (_, index) =>
    members[(index * 7919) % count].echo(index % 2 === 0 ? "a" : "b"),
  )
  row(
    "a line, one at a time",
    `p50 ${millis(Crowds.quantile(alone, 0.5))}, p99 ${millis(Crowds.quantile(alone, 0.99))}`,
  )
  began = performance.now()
  const together = await Promise.all(members.flatMap(({ echo }) => [echo("a"), echo("b")]))
  row(
    `a line of all ${count * 2} at once`,
    `p50 ${millis(Crowds.quantile(together, 0.5))}, p99 ${millis(Crowds.quantile(together, 0.99))}, all in ${since(began)}`,
  )
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

/** What readers get in some seconds: bytes of their floods per second, latency of a line beside them; the most memory. */
const measure = async (server, readers, floods) => {
  const total = () => floods.reduce((sum, { bytes }) => sum + bytes, 0)
  const [from, began, times] = [total(), performance.now(), []]
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
  return { rate, memory, p50: Crowds.quantile(times, 0.5), p99: Crowds.quantile(times, 0.99) }
}

const latency = ({ p50, p99 }) => `a line p50 ${millis(p50)}, p99 ${millis(p99)}`
const all = (one) => `${(one.rate / 1e6).toFixed(1)} MB/s, ${latency(one)}`
const ratio = (one, other) => (one / other).toFixed(2)

const stalling = async () => {
  const server = await begin()
  const half = Math.floor(options.stalling / 2)
  const members = await Crowds.each(Array.from({ length: half * 2 }), 16, () => Crowds.member(server))
  const [readers, stalled] = [members.slice(0, half), members.slice(half)]
  await Promise.all(readers.map(({ cat }) => cat("echo")))
  const floodAll = (id) => Promise.all(readers.map(({ flood }) => flood(id)))
  const calm = (id) => Promise.all(readers.map(({ end: kill }) => kill(id)))
  const quiet = await measure(server, readers, [])
  let floods = await floodAll("first")
  const alone = await measure(server, readers, floods)
  row(`${half} readers alone`, `${all(alone)}; ${latency(quiet)} without floods`)
  const right = () => {
    for (const { wrong } of floods)
      if (wrong !== undefined) failures.push(`a reader got another byte: ${wrong}`)
  }
  right()
  await calm("first")

  const size = options.mebibytes * 2 ** 20
  const silent = await Promise.all(
    stalled.map(async ({ flood, wire }) => {
      const counted = await flood("flood", { bytes: size })
      wire.pause()
      return counted
    }),
  )
  await sleep(2000)
  const taken = silent.map(({ bytes }) => bytes)
  const quietBeside = await measure(server, readers, [])
  floods = await floodAll("second")
  const beside = await measure(server, readers, floods)
  row(`with ${half} that do not read`, `${all(beside)}; ${latency(quietBeside)} without floods`)
  row(
    "the ratio",
    `throughput ${ratio(beside.rate, alone.rate)}, p50 ${ratio(beside.p50, alone.p50)}, p99 ${ratio(beside.p99, alone.p99)}; ` +
      `without floods p50 ${ratio(quietBeside.p50, quiet.p50)}, p99 ${ratio(quietBeside.p99, quiet.p99)}`,
  )
  const cost = beside.memory - alone.memory
  row(
    "most memory",
    `${mebibytes(alone.memory)} alone, ${mebibytes(beside.memory)} with them: ${mebibytes(cost / half)} for each that does not read`,
  )
  right()
  await calm("second")
  if (silent.some(({ bytes }, index) => bytes !== taken[index])) failures.push("what does not read was read")
  if (taken.some((bytes) => bytes >= size)) failures.push("nothing was held up: --mebibytes is too small")
  if (cost > (half * 4 + 64) * 2 ** 20) failures.push(`memory grew by ${mebibytes(cost)}`)
  if (beside.rate < alone.rate * 0.5) failures.push(`throughput fell from ${all(alone)} to ${all(beside)}`)

  for (const { wire } of stalled) wire.resume()
  await within(Promise.all(silent.map(({ ended }) => ended)), 120_000, "the rest of what was not read")
  const lost = silent.filter(({ bytes, wrong }) => bytes !== size || wrong !== undefined)
  const whole = `${silent.length - lost.length} of ${silent.length} have all their ${options.mebibytes} MiB`
  row("after reading again", `${whole}, byte by byte`)
  if (lost.length > 0) failures.push(`lost: ${JSON.stringify(lost)}`)
  for (const { wire } of members) wire.close()
  await end(server)
}

try {
  if (options.connections > 0) await crowd()
  if (options.stalling > 0) await stalling()
} catch (error) {
  failures.push(error.stack)
}
finish(`crowd on ${options.runtime} over ${options.transport}`, rows, failures)
