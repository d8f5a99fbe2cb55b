// `npm run proof:fuzz`: mutated messages of every method against a real server, valid requests between them.
import { finish, flags, mebibytes, progress } from "./lib/command.mjs"
import * as Proc from "./lib/proc.mjs"
import * as Random from "./lib/random.mjs"
import { ready, runtimeNames, serve, transportNames } from "./lib/servers.mjs"

const options = flags(
  "proof:fuzz",
  "Sends mutated messages to a server: no crash, no hang, no double answer, no growth, nothing left over.",
  {
    messages: { says: "mutated messages for each transport", standard: 500_000 },
    transports: {
      says: `of ${transportNames.join(", ")}, with commas`,
      standard: "stdio,ws",
      choices: transportNames,
    },
    runtime: { says: runtimeNames.join(", "), standard: "node", choices: runtimeNames },
    batch: { says: "messages that are sent before answers are awaited", standard: 100 },
    connections: { says: "connections at the same time (1 over stdio)", standard: 3 },
    command: { says: "another server, which is given --listen", standard: "" },
    seed: { says: "where the random numbers begin", standard: 1 },
  },
)

ready()
const { Methods } = await import("../../../dist/core/protocol/index.js")
const Corpus = await import("./lib/corpus.mjs")
const Fuzzing = await import("./lib/fuzzing.mjs")
Corpus.covers(Methods.requests)

/** Sessions and processes go soon, so that what stays is a leak. */
const quick = ["--detached-ttl-ms", "300", "--retention-ms", "300"]

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1] ?? 0

/** Resident memory after the warm-up and at the end, of one process. */
const growth = (samples) => {
  const last = samples.at(-1)
  const ours = samples.filter(({ pid }) => pid === last?.pid)
  const between = (from, to) =>
    median(ours.filter(({ at }) => at >= from && at <= to).map(({ bytes }) => bytes))
  return { warm: between(0.3, 0.5), end: between(0.85, 1) }
}

/** Garbage and fragmentation come and go; a leak of 100 bytes a message does not fit. */
const allowed = (warm) => warm * 1.2 + 16 * 2 ** 20

const fuzz = async (transport) => {
  const tally = {
    mutated: 0,
    intact: 0,
    answers: 0,
    checked: 0,
    notifications: 0,
    closes: 0,
    servers: 0,
    failures: [],
  }
  const samples = []
  const began = performance.now()
  const over = () => tally.mutated >= options.messages || tally.failures.length > 0
  const stdio = transport === "stdio"
  const random = Random.make(options.seed)
  // Over stdio the end of a connection is the end of the server: only in the beginning, so that memory can be compared.
  const mayEnd = stdio
    ? () => tally.mutated < options.messages * 0.1 && random.chance(0.02)
    : () => random.chance(0.05)
  const serveOne = () => {
    tally.servers += 1
    return serve({ ...options, transport, args: quick })
  }
  let server = await serveOne()

  let told = performance.now()
  const sample = () => {
    samples.push({ at: tally.mutated / options.messages, pid: server.pid, bytes: Proc.rss(server.pid) })
    if (performance.now() - told < 10_000) return
    told = performance.now()
    progress(
      `${transport}: ${tally.mutated} mutated, ${tally.answers} answers, ${tally.closes} closes, ${mebibytes(samples.at(-1).bytes)}`,
    )
  }

  const lane = async () => {
    while (!over()) {
      if (stdio && !server.running()) server = await serveOne()
      const connection = await Fuzzing.open(server, { random, tally, mayEnd })
      let batches = stdio ? Number.POSITIVE_INFINITY : 500
      while (!over() && batches > 0 && (await connection.batch(options.batch))) {
        batches -= 1
        sample()
      }
      if (!stdio) connection.close()
      else if (connection.wire.ended) {
        const code = await server.gone
        if (code !== 0) tally.failures.push(`the server ended with ${code}`)
      }
      if (!stdio && !server.running()) tally.failures.push(`the server died: ${await server.gone}`)
    }
  }
  await Promise.all(Array.from({ length: stdio ? 1 : options.connections }, lane)).catch((error) =>
    tally.failures.push(error.stack),
  )
  const seconds = (performance.now() - began) / 1000
  sample()

  const left = () => Proc.descendants(server.pid).filter((one) => !Proc.isReaper(one))
  if (stdio) server.child.stdin.end()
  const known = Proc.descendants(server.pid)
  if (!stdio && !(await Proc.eventually(() => left().length === 0, 10_000)))
    tally.failures.push(`left over: ${left().map(({ pid }) => Proc.commandLine(pid))}`)
  const code = stdio ? await server.gone : await server.stop()
  if (code !== 0) tally.failures.push(`the server ended with ${code}`)
  if (!(await Proc.eventually(() => !known.some(Proc.alive), 5000)))
    tally.failures.push(
      `outlived the server: ${known.filter(Proc.alive).map(({ pid }) => Proc.commandLine(pid))}`,
    )
  const { warm, end } = growth(samples)
  if (end > allowed(warm)) tally.failures.push(`memory grew from ${mebibytes(warm)} to ${mebibytes(end)}`)
  const rows = [
    [
      `${transport} messages`,
      `${tally.mutated} mutated, ${tally.intact} valid, in ${seconds.toFixed(1)} s: ${Math.round((tally.mutated + tally.intact) / seconds)}/s`,
    ],
    [
      `${transport} answers`,
      `${tally.answers}, of which ${tally.checked} to valid requests were compared; ${tally.notifications} notifications`,
    ],
    [`${transport} closes`, `${tally.closes} for violations, ${tally.servers} servers`],
    [`${transport} memory`, `${mebibytes(warm)} after the warm-up, ${mebibytes(end)} at the end`],
  ]
  return { rows, failures: tally.failures.map((failure) => `${transport}: ${failure}`) }
}

const results = []
for (const transport of options.transports.split(",")) results.push(await fuzz(transport))
finish(
  `fuzz on ${options.runtime}, seed ${options.seed}`,
  results.flatMap(({ rows }) => rows),
  results.flatMap(({ failures }) => failures),
)
