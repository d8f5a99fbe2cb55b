// @ts-check
// `npm run proof:fuzz`: mutated messages of every method against a real server, valid requests between them.
import { finish, flags, mebibytes, progress, stackOf } from "./lib/command.mjs"
import { growth } from "./lib/growth.mjs"
import * as Proc from "./lib/proc.mjs"
import * as Random from "./lib/random.mjs"
import { ready, runtimeNames, serve, transportNames } from "./lib/servers.mjs"

/**
 * @import { Row } from "./lib/command.mjs"
 * @import { Tally } from "./lib/fuzzing.mjs"
 * @import { Sample } from "./lib/growth.mjs"
 * @import { Server } from "./lib/servers.mjs"
 */

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

/** Sessions and processes expire soon, so that what stays is a leak. */
const expireSoon = ["--detached-ttl-ms", "300", "--retention-ms", "300"]

/** @returns {Tally} */
const emptyTally = () => ({
  mutated: 0,
  intact: 0,
  answers: 0,
  checked: 0,
  notifications: 0,
  closes: 0,
  servers: 0,
  failures: [],
})

/** Batches on one connection, after which another is opened. Over stdio a connection is the life of a server. */
const batchesPerConnection = 500

/**
 * Sends the messages; the last server, which still runs unless its connection over stdio has ended.
 * @param {string} transport
 * @param {Tally} tally
 * @param {Sample[]} samples
 */
const send = async (transport, tally, samples) => {
  const stdio = transport === "stdio"
  const random = Random.make(options.seed)
  const over = () => tally.mutated >= options.messages || tally.failures.length > 0
  // Over stdio the server ends with its connection. It may do so only in the beginning, so that memory can be compared.
  const mayEnd = () =>
    stdio ? tally.mutated < options.messages * 0.1 && random.chance(0.02) : random.chance(0.05)
  const begin = () => {
    tally.servers += 1
    return serve({ ...options, transport, args: expireSoon })
  }
  let server = await begin()

  let told = performance.now()
  const sample = () => {
    const bytes = Proc.rss(server.pid)
    samples.push({ at: tally.mutated / options.messages, pid: server.pid, bytes })
    if (performance.now() - told < 10_000) return
    told = performance.now()
    const counts = `${tally.mutated} mutated, ${tally.answers} answers, ${tally.closes} closes`
    progress(`${transport}: ${counts}, ${mebibytes(bytes)}`)
  }
  const lane = async () => {
    while (!over()) {
      if (stdio && !server.running()) server = await begin()
      const connection = await Fuzzing.open(server, { random, tally, mayEnd })
      let batches = 0
      while (
        !over() &&
        (stdio || batches < batchesPerConnection) &&
        (await connection.batch(options.batch))
      ) {
        batches += 1
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
    tally.failures.push(stackOf(error)),
  )
  sample()
  return server
}

/** @param {readonly Proc.Process[]} processes */
const namesOf = (processes) => processes.map(({ pid }) => Proc.commandLine(pid)).join("; ")

/** Ends the server and looks at what is left. @param {Server} server @param {Tally} tally */
const end = async (server, tally) => {
  const stdio = server.transport === "stdio"
  const left = () => Proc.descendants(server.pid).filter((one) => !Proc.isReaper(one))
  const known = Proc.descendants(server.pid)
  if (stdio) server.child.stdin.end()
  else if (!(await Proc.eventually(() => left().length === 0, 10_000)))
    tally.failures.push(`left over: ${namesOf(left())}`)
  const code = stdio ? await server.gone : await server.stop()
  if (code !== 0) tally.failures.push(`the server ended with ${code}`)
  if (!(await Proc.eventually(() => !known.some(Proc.alive), 5000)))
    tally.failures.push(`outlived the server: ${namesOf(known.filter(Proc.alive))}`)
}

/** @param {string} transport @returns {Promise<{ rows: Row[], failures: string[] }>} */
const fuzz = async (transport) => {
  const tally = emptyTally()
  /** @type {Sample[]} */
  const samples = []
  const began = performance.now()
  const server = await send(transport, tally, samples)
  const seconds = (performance.now() - began) / 1000
  await end(server, tally)
  const { says, grown } = growth(samples)
  if (grown) tally.failures.push(`memory grew: ${says}`)
  const { mutated, intact, answers, checked, notifications, closes, servers, failures } = tally
  const rate = `${Math.round((mutated + intact) / seconds)}/s`
  return {
    rows: [
      [`${transport} messages`, `${mutated} mutated, ${intact} valid, in ${seconds.toFixed(1)} s: ${rate}`],
      [
        `${transport} answers`,
        `${answers}, of which ${checked} to valid requests were compared; ${notifications} notifications`,
      ],
      [`${transport} closes`, `${closes} for violations, ${servers} servers`],
      [`${transport} memory`, says],
    ],
    failures: failures.map((failure) => `${transport}: ${failure}`),
  }
}

const results = []
for (const transport of options.transports.split(",")) results.push(await fuzz(transport))
finish(
  `fuzz on ${options.runtime}, seed ${options.seed}`,
  results.flatMap(({ rows }) => rows),
  results.flatMap(({ failures }) => failures),
)
