// @ts-check
// Mutated messages of every method against a real server, valid requests between them: no crash, no hang, no double
// answer, no growth, nothing left over.
import { mebibytes, randomOf, stackOf, stress } from "./lib/command.mjs"
import * as Proc from "./lib/proc.mjs"
import { onRuntime, serve, transportNames } from "./lib/servers.mjs"

/** @import { Values } from "../../../.ci/command.mjs" */
/** @import { Telling } from "./lib/command.mjs" */

const options = {
  seconds: { says: "how long on each transport", usual: 30 },
  transports: { says: `of ${transportNames}`, usual: `${transportNames}`, some: transportNames },
  runtime: onRuntime,
  command: { says: "another server, which is given --listen", usual: "" },
  seed: { says: "where the random numbers begin", usual: 1 },
}

/** @param {string} transport @param {Values<typeof options>} options @param {Telling} telling */
const play = async (transport, { seconds, runtime, command, seed }, telling) => {
  const Judge = await import("./lib/judge.mjs")
  const stdio = transport === "stdio"
  const random = randomOf(seed)
  const tally = { mutated: 0, answers: 0, checked: 0, closes: 0 }
  const fail = (/** @type {string} */ text) => telling.fail(`${transport}: ${text}`)
  // Sessions and processes expire soon, so that what stays is a leak.
  const args = ["--detached-ttl-ms", "300", "--retention-ms", "300"]
  const begin = () => serve({ runtime, command, transport, args })
  let server = await begin()
  const began = performance.now()
  /** The share of the time that is over. */
  const at = () => (performance.now() - began) / 1000 / seconds
  const over = () => at() >= 1 || telling.failed()
  // Over stdio the server ends with its connection. It may do so only in the beginning, so that memory can be compared.
  const mayEnd = () => (stdio ? at() < 0.2 && random.chance(0.05) : random.chance(0.05))
  /** @type {{ at: number, pid: number | undefined, bytes: number }[]} */
  const samples = []
  const lane = async () => {
    while (!over()) {
      if (stdio && !server.running()) server = await begin()
      const connection = await Judge.open(server, { random, tally, mayEnd, report: fail })
      while (!over() && (await connection.batch(100)))
        samples.push({ at: at(), pid: server.pid, bytes: Proc.rss(server.pid) })
      if (!stdio) connection.wire.destroy()
      const ended = stdio ? connection.wire.ended && (await server.gone) !== 0 : !server.running()
      if (ended) fail(`the server ended with ${await server.gone}`)
    }
  }
  const lanes = Array.from({ length: stdio ? 1 : 3 }, lane)
  await Promise.all(lanes).catch((error) => fail(stackOf(error)))

  const known = Proc.descendants(server.pid)
  if (stdio) server.child.stdin.end()
  else await Proc.vanish(() => Proc.left(server.pid), fail, "left over")
  const code = stdio ? await server.gone : await server.stop()
  if (code !== 0) fail(`the server ended with ${code}`)
  await Proc.vanish(() => known.filter(Proc.alive), fail, "outlived the server")

  /** The usual memory of the last server in a part of the time. @param {number} from @param {number} to */
  const memory = (from, to) => {
    const part = samples.filter((one) => one.pid === server.pid && one.at >= from && one.at <= to)
    return [...part].sort((a, b) => a.bytes - b.bytes)[part.length >> 1]?.bytes ?? 0
  }
  const [warm, end] = [memory(0.3, 0.5), memory(0.85, 2)]
  // Garbage and fragmentation come and go; a leak of 100 bytes a message exceeds this.
  if (warm > 0 && end > warm * 1.2 + 16 * 2 ** 20)
    fail(`memory grew from ${mebibytes(warm)} to ${mebibytes(end)}`)
  const { mutated, answers, checked, closes } = tally
  const sent = `${mutated} messages, ${closes} connections closed for them`
  telling.row(transport, `${sent}; ${answers} answers, ${checked} to valid requests were compared`)
  telling.row(`${transport} memory`, `${mebibytes(warm)} after the warm-up, ${mebibytes(end)} at the end`)
  if (checked === 0) fail("nothing was compared")
}

export const fuzz = stress({
  says: "sends mutated messages of every method on every transport, and compares the answers",
  options,
  play: async (values, telling) => {
    for (const transport of values.transports.split(","))
      if (!telling.failed()) await play(transport, values, telling)
  },
})
