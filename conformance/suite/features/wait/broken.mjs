// @ts-check
// Servers that are wrong in waits.
import { connect } from "node:net"
import { bytesOf, fault, later, less, params, result } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */
/** @import { Hooks, Message } from "../../../lab/faults/wire/relay.mjs" */

const wait = "process/wait"

/** @param {Message} found */
const unmet = (found) => ({ ...found, met: null, evidence: null })

/** @param {(found: Message, asked: Message) => Message} change */
const answer = (change) => result(wait, change)

/** The conditions of waits. @param {(condition: Message) => Message} change */
const until = (change) => params(wait, (asked) => ({ ...asked, until: asked.until.map(change) }))

/**
 * Waits with a condition that comes true at once, with that evidence.
 * @param {string} kind of the condition
 * @param {(value: any, known: Message) => boolean | Promise<boolean>} when
 * @param {(value: any) => Message} evidence
 * @returns {Hooks}
 */
const atOnce = (kind, when, evidence) => {
  const asked = async (/** @type {Message} */ m, /** @type {Message} */ known) => {
    const met = m.params.until.findIndex((/** @type {Message} */ condition) => kind in condition)
    const value = m.params.until[met]?.[kind]
    if (met < 0 || !(await when(value, known))) return undefined
    known[m.id] = { met, evidence: evidence(value) }
    return { ...m, params: { ...m.params, timeoutMs: 0 } }
  }
  return {
    asked: (m, known) => (m.method === wait ? asked(m, known) : undefined),
    answered: (m, _, known) =>
      m.result?.met === null && known[m.id] ? { ...m, result: { ...m.result, ...known[m.id] } } : undefined,
  }
}

/** @param {number} port @returns {Promise<boolean>} */
const listens = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket.destroy() !== undefined))
    socket.on("error", () => resolve(false))
  })

const asksOnStdin = () => ({ input: { pid: 1, from: "stdin" } })

/** @type {readonly WireFault[]} */
export const broken = [
  fault`wait-answers-the-last: Of several conditions that hold, the last is told.
    process/wait/takes-the-first-of-several`.by({
    ...params(wait, (asked) => ({ ...asked, until: asked.until.toReversed() })),
    ...answer((found, asked) => ({
      ...found,
      met: found.met === null ? null : asked.until.length - 1 - found.met,
    })),
  }),
  fault`wait-backtracks: A pattern may backtrack without end, and stall the server.
    process/wait/takes-linear-time`.by(({ server: { notes } }) => ({
    asked: (m) => {
      const pattern = m.method === wait ? m.params.until[0].pattern : ""
      if (/\(.*[+*]\)[+*]/.test(pattern)) notes.stalled = later(60_000, undefined)
      return notes.stalled
    },
    answered: () => notes.stalled,
  })),
  fault`wait-begins-now: Output that was printed before a wait does not count.
    process/wait/finds-what-was-printed-before`.by({
    ...params(wait, (asked, { last = 0 }) => ({ ...asked, afterSeq: last })),
    told: ({ params: { seq } }, known) => void (known.last = seq ?? known.last),
  }),
  fault`wait-counts-all-bytes: Bytes up to the seq count, too.
    process/wait/counts-bytes-after-a-seq`.params(wait, (asked) =>
    asked.until.some((/** @type {Message} */ { bytes }) => bytes !== undefined)
      ? less(asked, "afterSeq")
      : asked,
  ),
  fault`wait-ends-never: A process that ends does not end the waits for it.
    process/wait/ends-with-the-process`.by({
    answered: ({ result: found }, { method, params: asked }) =>
      method === wait && found?.met === null && found.closed && asked.timeoutMs == null ? [] : undefined,
  }),
  fault`wait-exits-at-once: A wait for the exit comes true at once.
    process/wait/ends-when-its-time-has-passed`.by(
    atOnce(
      "exit",
      () => true,
      () => ({ exitCode: null }),
    ),
  ),
  fault`wait-for-a-chunk: A pattern is looked for in each chunk by itself.
    process/wait/finds-text-over-chunks`.by(
    answer((found) => {
      const { from, to } = found.evidence?.match ?? {}
      return from?.seq === to?.seq ? found : unmet(found)
    }),
  ),
  fault`wait-hides-gaps: What is gone is not told.
    process/wait/tells-of-a-gap`.by(answer((found) => less(found, "gap"))),
  fault`wait-ignores-flags: Flags of patterns mean nothing.
    process/wait/knows-flags`.by(until((condition) => less(condition, "flags"))),
  fault`wait-ignores-streams: A pattern for one stream is looked for in both.
    process/wait/looks-at-the-stream-that-is-named`.by(until((condition) => less(condition, "stream"))),
  fault`wait-input-of-sleepers: A process that sleeps counts as one that waits for input.
    process/wait/tells-who-reads-its-pipe`
    .with({ kernel: true })
    .by(atOnce("input", () => true, asksOnStdin)),
  fault`wait-port-of-anybody: A port counts, whoever listens on it.
    process/wait/tells-who-listens`
    .with({ kernel: true })
    .by(atOnce("port", listens, (port) => ({ port: { port, host: "127.0.0.1", pid: 1 } }))),
  fault`wait-returns-the-head: An answer has the begin of the output, and no end.
    process/wait/returns-head-and-tail`.by(
    answer(({ tail, omittedBytes, ...found }) => {
      const lost = tail.reduce(
        (/** @type {number} */ sum, /** @type {Message} */ one) => sum + bytesOf(one.chunk).length,
        0,
      )
      return { ...found, tail: [], omittedBytes: omittedBytes + lost }
    }),
  ),
  fault`wait-too-soon: Silence counts since long before the wait.
    process/wait/is-quiet-no-sooner`.by(
    atOnce(
      "idleMs",
      () => true,
      (idleMs) => ({ idleMs: idleMs + 3_600_000 }),
    ),
  ),
]
