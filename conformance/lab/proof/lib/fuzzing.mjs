// One connection under mutated messages: sends them in batches, with valid requests between them, and holds every answer
// against the ledger.
import { Message } from "../../../../dist/core/protocol/index.js"
import * as Corpus from "./corpus.mjs"
import * as Ledger from "./ledger.mjs"
import * as Mutations from "./mutations.mjs"
import * as Wires from "./wires.mjs"
import { within } from "./command.mjs"

/** The longest that a valid request may wait behind a batch. */
const deadline = 30_000

/** Frames that no client may send, as they are on the wire: each ends the connection. */
const badFrames = [
  [0xc1, 0x80, 0, 0, 0, 0],
  [0x81, 0x01, 0x78],
  [0x83, 0x80, 0, 0, 0, 0],
  [0x80, 0x80, 0, 0, 0, 0],
  [0x89, 0xfe, 1, 0, 0, 0, 0, 0],
  [0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
]

/** An answer with its id as it was written, also above 2^53. */
const answerOf = (bytes) => {
  const text = bytes.toString()
  const json = JSON.parse(text)
  if (json.method !== undefined || typeof json.id !== "number" || Number.isSafeInteger(json.id)) return json
  const exact = Message.fromText(text)
  return exact._tag === "Right" ? { ...json, id: exact.right.id } : json
}

/** Sends bytes the way that a peer with a bad day would: cut anywhere, or several messages at once. */
const deliver = (random, wire, all, lines) => {
  if (!lines) {
    for (const bytes of all) {
      const cut = random.chance(0.05) ? random.below(bytes.length) : undefined
      if (cut === undefined) wire.ws.send(bytes, { binary: random.chance(0.2) })
      else {
        wire.ws.send(bytes.subarray(0, cut), { fin: false, binary: false })
        wire.ws.send(bytes.subarray(cut), { fin: true, binary: false })
      }
    }
    return
  }
  const whole = Buffer.concat(all.flatMap((bytes) => [bytes, Buffer.from("\n")]))
  for (let at = 0; at < whole.length;) {
    const size = random.chance(0.2) ? 1 + random.below(64) : 1 + random.below(whole.length)
    wire.send(whole.subarray(at, at + size))
    at += size
  }
}

/** A connection to `server`. `tally` counts; `mayEnd()` says whether the next message may end the connection. */
export const open = async (server, { random, tally, mayEnd }) => {
  const lines = server.transport !== "ws"
  const wire = await Wires.open(server)
  const ledger = Ledger.make()
  const expected = new Map()
  const started = new Set()
  let [last, trouble, settle] = [0, undefined, () => {}]
  const fail = (text) => {
    trouble ??= text
    settle()
  }

  wire.take = (bytes) => {
    const answer = answerOf(bytes)
    if (answer.method !== undefined) {
      tally.notifications += 1
      return
    }
    tally.answers += 1
    const wrong = ledger.answered(answer)
    if (wrong !== undefined) return fail(wrong)
    if (answer.result?.sandboxType !== undefined) started.add(answer.result.processId)
    const check = expected.get(answer.id)
    if (check === undefined) return
    expected.delete(answer.id)
    tally.checked += 1
    if (!check(answer)) return fail(`a valid request was answered with ${bytes.toString().slice(0, 300)}`)
    if (expected.size === 0) settle()
  }

  const same = (wanted) => (answer) =>
    JSON.stringify(answer.result ?? answer.error?.message) === JSON.stringify(wanted)
  const valid = (method, params, check) => {
    const id = `v${(last += 1)}`
    const bytes = Buffer.from(JSON.stringify({ id, method, params }))
    return { bytes, entry: Ledger.read(bytes, lines), expect: () => expected.set(id, check) }
  }

  /** What must be answered rightly, whatever else is in the batch. Processes that were started are ended by it. */
  const validOnes = () => {
    const fresh = `own${last}`
    const ends = [...started].map((processId) =>
      valid("process/terminate", { processId }, ({ result }) => typeof result?.running === "boolean"),
    )
    started.clear()
    return [
      ...ends,
      valid("environment/status", {}, same({ status: "ready" })),
      valid("process/read", { processId: "none" }, same("unknown process id none")),
      valid("process/write", { processId: "none", chunk: "" }, same({ status: "unknownProcess" })),
      valid("process/terminate", { processId: "none" }, same({ running: false })),
      ...(random.chance(0.1)
        ? [
            valid(
              "process/start",
              { processId: fresh, argv: ["/bin/true"], cwd: "file:///", env: {}, tty: false },
              same({ processId: fresh, sandboxType: "none" }),
            ),
          ]
        : []),
    ]
  }

  /** A mutated message that is safe to send and whose end of the connection is wanted. */
  const mutated = () => {
    for (;;) {
      const { bytes, intact } = Mutations.mutate(random, Corpus.message(random, (last += 1)))
      const entry = Ledger.read(bytes, lines)
      if (!entry.texts.every(Corpus.harmless) || !Corpus.harmless(bytes.toString())) continue
      if (entry.ends && !mayEnd()) continue
      return { bytes, entry, intact }
    }
  }

  const handshake = () => {
    const initialize = valid(
      "initialize",
      { clientName: "fuzz" },
      ({ result }) => typeof result?.sessionId === "string",
    )
    return [
      initialize,
      { bytes: Buffer.from('{"method":"initialized"}'), entry: { keys: [], malformed: 0, ends: false } },
    ]
  }

  /** Plays one batch; false once the connection is over. `tally.failures` gets what went wrong. */
  const batch = async (size) => {
    const all = last === 0 ? handshake() : []
    const extra = validOnes()
    while (all.length < size && !all.at(-1)?.entry.ends)
      all.push(extra.length > 1 && random.chance(extra.length / size) ? extra.shift() : mutated())
    const frame = !lines && mayEnd() && random.chance(0.2) ? random.pick(badFrames) : undefined
    const ends = frame !== undefined || all.at(-1).entry.ends
    if (!ends) all.push(...extra)
    const done = new Promise((resolve) => (settle = resolve))
    for (const { entry, expect, intact } of all) {
      ledger.sent(entry)
      if (expect !== undefined && !ends) expect()
      if (intact !== undefined) tally[intact ? "intact" : "mutated"] += 1
    }
    deliver(
      random,
      wire,
      all.map(({ bytes }) => bytes),
      lines,
    )
    if (frame !== undefined) wire.ws._socket.write(Buffer.from(frame))
    try {
      await within(
        ends ? Promise.race([wire.over, done]) : Promise.race([done, wire.over]),
        deadline,
        ends ? "the end of a connection that broke the protocol" : "the answers to valid requests",
      )
    } catch (error) {
      fail(error.message)
    }
    if (wire.ended && !ends) fail("the server ended a connection that broke no rule")
    if (!wire.ended && trouble === undefined) trouble = ledger.settled()
    if (trouble !== undefined)
      tally.failures.push(
        `${trouble}; the batch: ${JSON.stringify(all.map(({ bytes }) => bytes.toString("latin1").slice(0, 400)))}`,
      )
    if (wire.ended) tally.closes += 1
    return trouble === undefined && !wire.ended
  }

  return { batch, wire, close: () => (lines ? wire.close() : wire.destroy()) }
}
