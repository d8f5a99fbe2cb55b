// @ts-check
// One connection under mutated messages: sends them in batches the way that TCP and WebSocket allow, valid requests
// between them, and judges what comes. A request may have one answer, a malformed message has exactly one refusal,
// and a message that no client may send ends the connection. Answers to valid requests are compared.
import { ErrorCode, Message, Methods } from "../../../../dist/core/protocol/index.js"
import * as Framing from "../../../../dist/core/transport/Framing.js"
import { within } from "./command.mjs"
import * as Messages from "./messages.mjs"
import * as Wires from "./wires.mjs"

/**
 * @import { Random } from "./command.mjs"
 * @typedef {{ [name: string]: any }} Answer
 *
 * One message of a batch, as a server must read it: its texts, the keys of the requests in it, the keys under which
 * what is none is refused, whether it ends the connection, and a part of the answer to a valid request.
 * @typedef {{ bytes: Buffer, texts: string[], keys: string[], malformed: string[], ends: boolean,
 *   expected?: { id: string, part: string } }} Sent
 */

/** WebSocket frames in hexadecimal. Each breaks the protocol, so the server must end the connection. */
const badFrames = "c18000000000 810178 838000000000 808000000000 89fe010000000000 81ffffffffffffffffff"

/** @param {unknown} id */
const keyOf = (id) => (typeof id === "string" ? JSON.stringify(id) : String(id))
const malformedKey = String(Message.malformedId)

/** The id with which a text is refused: its own if it is a request that only has half a character. */
const refusedKey = (/** @type {string} */ text) => {
  const found = Message.fromIllFormed(text)
  return found._tag === "Success" && found.success.kind === "request" ? keyOf(found.success.id) : malformedKey
}

/** The reading of some bytes by a server: in lines, or in bytes that are one message. @returns {Sent} */
const read = (/** @type {Buffer} */ bytes, /** @type {boolean} */ lines) => {
  const decoder = new Framing.LineDecoder()
  const found = lines ? decoder.push(Buffer.concat([bytes, Buffer.from("\n")])) : [Framing.decodeText(bytes)]
  const isText = decoder.failure === undefined && found.every((text) => text !== undefined)
  /** @type {Sent} */
  const sent = { bytes, texts: isText ? found.map(String) : [], keys: [], malformed: [], ends: !isText }
  for (const text of sent.texts) {
    const message = Message.fromText(text)
    if (message._tag === "Failure") sent.malformed.push(refusedKey(text))
    else if (message.success.kind === "request") sent.keys.push(keyOf(message.success.id))
    else if (message.success.kind !== "notification" || !Methods.isClientNotification(message.success.method))
      return { ...sent, ends: true }
  }
  return sent
}

/** An answer, with its id exact above 2^53. @returns {Answer} */
const answerOf = (/** @type {string} */ text) => {
  const exact = Message.fromText(text)
  return {
    ...JSON.parse(text),
    ...(exact._tag === "Success" && "id" in exact.success && { id: exact.success.id }),
  }
}

/**
 * Opens a connection.
 * @param {import("./servers.mjs").Server} server
 * @param {{ random: Random, tally: Record<"mutated" | "answers" | "checked" | "closes", number>,
 *   mayEnd: () => boolean, report: (failure: string) => void }} options
 */
export const open = async (server, { random, tally, mayEnd, report }) => {
  const lines = server.transport !== "ws"
  const wire = await Wires.open(server)
  /** Processes that were started and not ended. @type {Set<string>} */
  const started = new Set()
  let last = 0
  /** The number of answers that may still come, by key. @type {Map<string, number>} */
  const owed = new Map()
  /** The parts of answers that must come, by id. @type {Map<unknown, string>} */
  const expected = new Map()
  let [malformed, refused, settle] = [0, 0, () => {}]
  let trouble = ""
  const fail = (/** @type {string} */ text) => {
    trouble ||= text
    settle()
  }

  wire.take = (bytes) => {
    const answer = answerOf(bytes.toString())
    if (answer["method"] !== undefined) return undefined
    tally.answers += 1
    const { id, error, result } = answer
    const key = keyOf(id)
    const left = owed.get(key) ?? 0
    if (left === 0) return fail(`an answer that was not asked for, or a second one: id ${key}`)
    owed.set(key, left - 1)
    const refusal = error?.code === ErrorCode.invalidRequest && error.message.startsWith("failed to parse")
    if (refusal) refused += 1
    if (result?.sandboxType !== undefined) started.add(String(result.processId))
    const part = expected.get(id)
    if (part === undefined) return undefined
    expected.delete(id)
    tally.checked += 1
    if (!bytes.includes(part)) fail(`a valid request was answered with ${bytes.toString().slice(0, 300)}`)
    return expected.size === 0 ? settle() : undefined
  }

  /** @param {string} method @param {object} params @param {string} part of the answer @returns {Sent} */
  const valid = (method, params, part) => {
    const id = `v${(last += 1)}`
    return { ...read(Buffer.from(JSON.stringify({ id, method, params })), lines), expected: { id, part } }
  }
  const handshake = () => [
    valid("initialize", { clientName: "fuzz" }, '"result":{"sessionId":"'),
    read(Buffer.from('{"method":"initialized"}'), lines),
  ]
  /** Valid requests, which must be answered rightly whatever else is in the batch. It ends the processes that were started. */
  const validOnes = () => {
    const [own, processId] = [`own${last}`, "none"]
    const begun = `"result":{"processId":"${own}","sandboxType":"none"}`
    const ended = [...started].map((one) =>
      valid("process/terminate", { processId: one }, '"result":{"running":'),
    )
    started.clear()
    return [
      ...ended,
      valid("environment/status", {}, '"result":{"status":"ready"}'),
      valid("process/read", { processId }, '"message":"unknown process id none"'),
      valid("process/write", { processId, chunk: "" }, '"result":{"status":"unknownProcess"}'),
      valid("process/terminate", { processId }, '"result":{"running":false}'),
      ...(random.chance(0.1) ? [valid("process/start", Wires.start(own, ["/bin/true"]), begun)] : []),
    ]
  }
  /** A mutated message that may be sent. @returns {Sent} */
  const mutated = () => {
    for (;;) {
      const bytes = Messages.message(random, (last += 1))
      const sent = read(bytes, lines)
      if (![...sent.texts, bytes.toString()].every(Messages.harmless)) continue
      if (!sent.ends || mayEnd()) return sent
    }
  }

  /** Sends messages as bytes cut anywhere, or as frames, some in fragments. @param {Buffer[]} all */
  const deliver = (all) => {
    const { ws } = wire
    const whole = Buffer.concat(all.flatMap((bytes) => [bytes, Buffer.from("\n")]))
    for (let at = 0; ws === undefined && at < whole.length;) {
      const size = 1 + random.below(random.chance(0.2) ? 64 : whole.length)
      wire.send(whole.subarray(at, (at += size)))
    }
    for (const bytes of ws === undefined ? [] : all) {
      const cut = random.chance(0.05) ? random.below(bytes.length) : 0
      if (cut > 0) ws?.send(bytes.subarray(0, cut), { fin: false, binary: false })
      ws?.send(bytes.subarray(cut), { binary: cut === 0 && random.chance(0.2) })
    }
  }

  /** Enters a batch; resolves once its valid requests are answered, or something is wrong. */
  const enter = (/** @type {Sent[]} */ batch, /** @type {boolean} */ ends) => {
    for (const one of batch) {
      for (const key of [...one.keys, ...one.malformed]) owed.set(key, (owed.get(key) ?? 0) + 1)
      malformed += one.malformed.length
      // A connection that ends may leave requests without an answer.
      if (one.expected !== undefined && !ends) expected.set(one.expected.id, one.expected.part)
      if (one.expected === undefined) tally.mutated += 1
    }
    return /** @type {Promise<void>} */ (new Promise((resolve) => (settle = resolve)))
  }

  /** Plays one batch; false once the connection is over. @param {number} size */
  const batch = async (size) => {
    const all = last === 0 ? handshake() : []
    const extra = validOnes()
    while (all.length < size && !all.at(-1)?.ends)
      all.push((random.chance(extra.length / size) && extra.length > 1 && extra.shift()) || mutated())
    const badFrame = !lines && mayEnd() && random.chance(0.2)
    const ends = badFrame || all.at(-1)?.ends === true
    if (!ends) all.push(...extra)
    const settled = enter(all, ends)
    deliver(all.map(({ bytes }) => bytes))
    /** @type {any} */
    const { ws } = wire
    if (badFrame) ws?._socket?.write(Buffer.from(random.pick(badFrames.split(" ")), "hex"))
    const awaited = ends ? "the end of a connection that broke the protocol" : "the answers to valid requests"
    await within(Promise.race([settled, wire.over]), 60_000, awaited).catch((error) => fail(error.message))
    if (wire.ended && !ends) fail("the server ended a connection that broke no rule")
    if (!wire.ended && malformed !== refused) fail(`${malformed} malformed messages, ${refused} answers`)
    const shown = JSON.stringify(all.map(({ bytes }) => bytes.toString("latin1").slice(0, 400)))
    if (trouble !== "") report(`${trouble}; the batch: ${shown}`)
    if (wire.ended) tally.closes += 1
    return trouble === "" && !wire.ended
  }
  return { batch, wire }
}
