// @ts-check
// One connection under mutated messages: sends them in batches, with valid requests between them, and checks every
// answer against the ledger.
import { Message } from "../../../../dist/core/protocol/index.js"
import { within } from "./command.mjs"
import * as Corpus from "./corpus.mjs"
import { deliver, sendBadFrame } from "./delivery.mjs"
import * as Ledger from "./ledger.mjs"
import * as Mutations from "./mutations.mjs"
import * as Wires from "./wires.mjs"

/**
 * @import { Random } from "./random.mjs"
 *
 * @typedef {object} Tally what all connections have counted
 * @property {number} mutated messages with something wrong
 * @property {number} intact messages of the corpus as they are
 * @property {number} answers
 * @property {number} checked answers to valid requests
 * @property {number} notifications
 * @property {number} closes connections that the server ended
 * @property {number} servers
 * @property {string[]} failures
 *
 * @typedef {object} Answer
 * @property {unknown} id
 * @property {string} [method] of a notification
 * @property {Record<string, unknown>} [result]
 * @property {{ code: number, message: string }} [error]
 *
 * @typedef {(answer: Answer) => boolean} Check
 *
 * @typedef {object} Sent one message of a batch
 * @property {Buffer} bytes
 * @property {Pick<Ledger.Entry, "keys" | "malformed" | "ends">} entry
 * @property {{ id: string, check: Check }} [expected] of a valid request
 * @property {boolean} [intact] of a message of the corpus
 *
 * @typedef {{ random: Random, tally: Tally, mayEnd: () => boolean }} Options
 */

/** How long a valid request may wait behind a batch, in milliseconds. */
const deadline = 30_000

/**
 * An answer, with its id exact above 2^53.
 * @param {Buffer} bytes
 * @returns {Answer}
 */
const answerOf = (bytes) => {
  const text = bytes.toString()
  const json = JSON.parse(text)
  if (json.method !== undefined || typeof json.id !== "number" || Number.isSafeInteger(json.id)) return json
  const exact = Message.fromText(text)
  return exact._tag === "Right" && "id" in exact.right ? { ...json, id: exact.right.id } : json
}

/** @param {unknown} wanted a result, or the text of an error @returns {Check} */
const same = (wanted) => (answer) =>
  JSON.stringify(answer.result ?? answer.error?.message) === JSON.stringify(wanted)

/**
 * What is sent on one connection.
 * @param {Options & { lines: boolean }} options
 */
const messages = ({ random, mayEnd, lines }) => {
  /** @type {Set<string>} Processes that were started and not ended. */
  const started = new Set()
  let last = 0

  /** @param {string} method @param {object} params @param {Check} check @returns {Sent} */
  const valid = (method, params, check) => {
    const id = `v${(last += 1)}`
    const bytes = Buffer.from(JSON.stringify({ id, method, params }))
    return { bytes, entry: Ledger.read(bytes, lines), expected: { id, check } }
  }

  return {
    started,
    /** @returns {Sent[]} */
    handshake: () => [
      valid("initialize", { clientName: "fuzz" }, ({ result }) => typeof result?.["sessionId"] === "string"),
      { bytes: Buffer.from('{"method":"initialized"}'), entry: { keys: [], malformed: 0, ends: false } },
    ],
    /** What must be answered rightly, whatever else is in the batch. It ends the processes that were started. */
    validOnes: () => {
      const fresh = `own${last}`
      const ends = [...started].map((processId) =>
        valid("process/terminate", { processId }, ({ result }) => typeof result?.["running"] === "boolean"),
      )
      started.clear()
      const start = { processId: fresh, argv: ["/bin/true"], cwd: "file:///", env: {}, tty: false }
      return [
        ...ends,
        valid("environment/status", {}, same({ status: "ready" })),
        valid("process/read", { processId: "none" }, same("unknown process id none")),
        valid("process/write", { processId: "none", chunk: "" }, same({ status: "unknownProcess" })),
        valid("process/terminate", { processId: "none" }, same({ running: false })),
        ...(random.chance(0.1)
          ? [valid("process/start", start, same({ processId: fresh, sandboxType: "none" }))]
          : []),
      ]
    },
    /** A mutated message that may be sent; it ends the connection only if that is wanted. @returns {Sent} */
    mutated: () => {
      for (;;) {
        const make = random.chance(0.1) ? Corpus.cancel : Corpus.message
        const { bytes, intact } = Mutations.mutate(random, make(random, (last += 1)))
        const entry = Ledger.read(bytes, lines)
        if (!entry.texts.every(Corpus.harmless) || !Corpus.harmless(bytes.toString())) continue
        if (entry.ends && !mayEnd()) continue
        return { bytes, entry, intact }
      }
    },
  }
}

/**
 * Checks what comes from the server.
 * @param {Tally} tally
 * @param {Set<string>} started
 */
const referee = (tally, started) => {
  const ledger = Ledger.make()
  /** @type {Map<unknown, Check>} */
  const expected = new Map()
  /** @type {{ trouble: string | undefined, settle: () => void }} */
  const state = { trouble: undefined, settle: () => {} }
  /** @param {string} text */
  const fail = (text) => {
    state.trouble ??= text
    state.settle()
  }
  /** @param {Buffer} bytes */
  const take = (bytes) => {
    const answer = answerOf(bytes)
    if (answer.method !== undefined) {
      tally.notifications += 1
      return
    }
    tally.answers += 1
    const wrong = ledger.answered(answer)
    if (wrong !== undefined) return fail(wrong)
    if (answer.result?.["sandboxType"] !== undefined) started.add(String(answer.result["processId"]))
    const check = expected.get(answer.id)
    if (check === undefined) return
    expected.delete(answer.id)
    tally.checked += 1
    if (!check(answer)) fail(`a valid request was answered with ${bytes.toString().slice(0, 300)}`)
    else if (expected.size === 0) state.settle()
  }
  return {
    take,
    fail,
    /** What is wrong so far. */
    trouble: () => state.trouble,
    /** What is wrong once a batch is answered. */
    verdict: () => (state.trouble ??= ledger.settled()),
    /**
     * Enters a batch; resolves once its valid requests are answered, or something is wrong.
     * @param {readonly Sent[]} batch
     * @param {boolean} ends true if the batch ends the connection, so that answers may be missing
     * @returns {Promise<void>}
     */
    sent: (batch, ends) => {
      for (const one of batch) {
        ledger.sent(one.entry)
        if (one.expected !== undefined && !ends) expected.set(one.expected.id, one.expected.check)
        if (one.intact !== undefined) tally[one.intact ? "intact" : "mutated"] += 1
      }
      return new Promise((resolve) => (state.settle = resolve))
    },
  }
}

/**
 * Opens a connection.
 * @param {import("./servers.mjs").Server} server
 * @param {Options} options `mayEnd` says whether the next message may end the connection
 */
export const open = async (server, { random, tally, mayEnd }) => {
  const lines = server.transport !== "ws"
  const wire = await Wires.open(server)
  const source = messages({ random, tally, mayEnd, lines })
  const { take, fail, trouble, verdict, sent } = referee(tally, source.started)
  wire.take = take
  let fresh = true

  /** The messages of a batch, and whether they end the connection. @param {number} size */
  const compose = (size) => {
    const all = fresh ? source.handshake() : []
    fresh = false
    const extra = source.validOnes()
    while (all.length < size && !all.at(-1)?.entry.ends) {
      const next = extra.length > 1 && random.chance(extra.length / size) ? extra.shift() : undefined
      all.push(next ?? source.mutated())
    }
    const badFrame = !lines && mayEnd() && random.chance(0.2)
    const ends = badFrame || all.at(-1)?.entry.ends === true
    return { all: ends ? all : [...all, ...extra], badFrame, ends }
  }

  /** Plays one batch; false once the connection is over. @param {number} size */
  const batch = async (size) => {
    const { all, badFrame, ends } = compose(size)
    const settled = sent(all, ends)
    const texts = all.map(({ bytes }) => bytes)
    deliver(random, wire, texts)
    if (badFrame) sendBadFrame(random, wire)
    const awaited = ends ? "the end of a connection that broke the protocol" : "the answers to valid requests"
    await within(Promise.race([settled, wire.over]), deadline, awaited).catch((error) => fail(error.message))
    if (wire.ended && !ends) fail("the server ended a connection that broke no rule")
    const wrong = wire.ended ? trouble() : verdict()
    if (wrong !== undefined) {
      const shown = JSON.stringify(texts.map((bytes) => bytes.toString("latin1").slice(0, 400)))
      tally.failures.push(`${wrong}; the batch: ${shown}`)
    }
    if (wire.ended) tally.closes += 1
    return wrong === undefined && !wire.ended
  }

  return { batch, wire, close: () => (lines ? wire.close() : wire.destroy()) }
}
