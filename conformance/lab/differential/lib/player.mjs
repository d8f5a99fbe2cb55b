// @ts-check
// Plays one sequence on one server: a step after the other, each with what it was answered.
import { answerOf, plainIn, saidOf } from "./normal.mjs"
import * as Notices from "./notices.mjs"
import { snapshot } from "./tree.mjs"
import { members, parsed } from "./values.mjs"

/**
 * @import { Wire } from "../../proof/lib/wires.mjs"
 * @import { Members } from "./values.mjs"
 * @import { Place } from "./normal.mjs"
 * @import { Server } from "./server.mjs"
 *
 * @typedef {object} Step
 * @property {"call" | "silent" | "closed" | "output" | "stream" | "watch" | "reconnect"} kind a `call` has one answer,
 *   `silent` has none; the next four wait for a process, for output, a body, a watch; the last connects again
 * @property {string} method
 * @property {string} [text] of the message, in which {D} is the work folder, {U} its URI and {O} the HTTP server
 * @property {string} [on] the process, request or watch that is meant
 * @property {number} [bytes] that are awaited
 *
 * @typedef {{ name: string, handshake: boolean, steps: readonly Step[] }} Sequence
 * @typedef {{ answer: unknown, said?: unknown, tree?: Record<string, string> }} Outcome
 * @typedef {{ steps: Outcome[], rest: unknown, tree: Record<string, string> }} Transcript
 * @typedef {{ wrap?: Wrap, trees?: boolean, patience?: number }} PlayOptions
 * @typedef {(wire: Wire) => Wire} Wrap what stands between the player and a server
 */

/** How long an answer may take, in milliseconds. */
const standardPatience = 10_000

/** The id of a message as it was written, because it may not fit a number. @param {Members} message @param {string} text */
const withExactId = (message, text) => {
  const { id } = message
  if (typeof id !== "number" || Number.isSafeInteger(id)) return message
  return { ...message, id: /"id":\s*(-?\d+)/.exec(text)?.[1] ?? id }
}

/** @typedef {{ server: Server, wrap: Wrap, plain: (text: string) => string, patience: number }} Way */

/** One connection. @param {Way} way */
const connect = async ({ server, wrap, plain, patience }) => {
  const wire = wrap(await server.connect())
  /** @type {Members[]} */
  const answers = []
  const notices = Notices.make(plain)
  /** @type {Set<() => void>} */
  const waiting = new Set()
  const wake = () => {
    for (const one of waiting) one()
  }
  wire.take = (bytes) => {
    const text = bytes.toString()
    const message = members(parsed(text) ?? { notJson: text })
    if (message["method"] === undefined) answers.push(withExactId(message, text))
    else notices.notice(message)
    wake()
  }
  wire.over.then(wake).catch(() => {})

  /** True once it holds, false if it never did. @param {() => boolean} holds @param {number} [millis] */
  const until = (holds, millis = patience) =>
    new Promise((/** @type {(held: boolean) => void} */ resolve) => {
      const finish = (/** @type {boolean} */ held) => {
        clearTimeout(timer)
        waiting.delete(look)
        resolve(held)
      }
      const look = () => {
        if (holds()) finish(true)
        else if (wire.ended) finish(false)
      }
      const timer = setTimeout(() => finish(holds()), millis)
      waiting.add(look)
      look()
    })

  /** The next answer. @returns {Promise<Members | string>} */
  const answer = async () => {
    if (await until(() => answers.length > 0)) return answers.shift() ?? {}
    return wire.ended ? "the connection ended" : "no answer"
  }
  return { wire, notices, answers, until, answer }
}

/** @typedef {Awaited<ReturnType<typeof connect>>} Connection */

/** @param {Connection} connection @param {string | undefined} resume */
const handshake = async ({ wire, answer }, resume) => {
  const params = { clientName: "differential", ...(resume !== undefined && { resumeSessionId: resume }) }
  wire.send(JSON.stringify({ id: 0, method: "initialize", params }))
  const first = await answer()
  if (typeof first !== "string" && first["result"] !== undefined) wire.send('{"method":"initialized"}')
  return first
}

/** @param {Way} way @param {string} session */
const resumed = async (way, session) => {
  for (let tries = 0; ; tries += 1) {
    const connection = await connect(way)
    const first = members(await handshake(connection, session))
    if (members(first["error"])["code"] !== -32010 || tries > 200) return { connection, first }
    connection.wire.close()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/**
 * Plays a sequence.
 * @param {Server} server
 * @param {Sequence} sequence
 * @param {Place} place
 * @param {PlayOptions} [options] with `trees` each step has what the folder was after it
 * @returns {Promise<Transcript>}
 */
export const play = async (server, { handshake: usual, steps }, place, { wrap = (wire) => wire, trees = false, patience = standardPatience } = {}) => {
  const plain = plainIn(place)
  const way = { server, wrap, plain, patience }
  let connection = await connect(way)
  /** @param {string} text */
  const placed = (text) =>
    text.replaceAll("{U}", `file://${place.work}`).replaceAll("{D}", place.work).replaceAll("{O}", place.origin).replaceAll("{HOST}", place.origin.slice(7))
  let session = ""
  /** The processes that were started and not closed; and the steps that say what they did. @type {Map<string, number>} */
  const started = new Map()
  /** @type {Map<string, number>} */
  const streams = new Map()
  /** The watches that were accepted. @type {Set<unknown>} */
  const watching = new Set()
  /** @type {Outcome[]} */
  const outcomes = []
  if (usual) session = String(members(members(await handshake(connection, undefined))["result"] ?? {})["sessionId"])

  /** @param {number} index of the step of a start or request @param {unknown} said */
  const tell = (index, said) => {
    const outcome = outcomes[index]
    if (outcome && said !== undefined) outcome.said = saidOf(said, place)
  }
  const gather = () => {
    for (const [id, index] of started) tell(index, connection.notices.processSaid(id))
    for (const [id, index] of streams) tell(index, connection.notices.streamSaid(id))
  }
  const kill = async () => {
    for (const [id] of started) {
      const { wire, notices, answer, until } = connection
      if (wire.ended || notices.closed(id)) continue
      wire.send(JSON.stringify({ id: 1, method: "process/terminate", params: { processId: id } }))
      if (members(members(await answer())["result"])["running"] !== true) continue
      await until(() => notices.closed(id))
    }
  }

  /** @param {Step} step @param {number} index @returns {Promise<unknown>} */
  const call = async ({ method, text = "" }, index) => {
    connection.wire.send(placed(text))
    const answer = await connection.answer()
    if (typeof answer === "string") return answer
    const params = members(members(parsed(text))["params"])
    const { result } = answer
    if (method === "initialize" && result) session = String(members(result)["sessionId"])
    if (method === "process/start" && result) started.set(String(params["processId"] ?? params[0]), index)
    if (method === "http/request" && result && params["streamResponse"] === true)
      streams.set(String(params["requestId"]), index)
    if (method === "fs/watchMissing" && members(result)["watching"] === true) watching.add(params["watchId"])
    return answerOf(method, answer, place)
  }

  const reconnect = async () => {
    if (session === "") return "no session"
    await kill()
    gather()
    started.clear()
    streams.clear()
    watching.clear()
    connection.wire.close()
    const again = await resumed(way, session)
    connection = again.connection
    return answerOf("reconnect", { ok: again.first["result"] !== undefined, error: again.first["error"] }, place)
  }

  /** @type {Record<Exclude<Step["kind"], "call">, (step: Step) => Promise<unknown>>} */
  const others = {
    silent: async ({ text = "" }) => {
      const { wire, answer } = connection
      wire.send(placed(text))
      wire.send('{"id":"barrier","method":"environment/status"}')
      const next = await answer()
      return typeof next === "string" || next["id"] === "barrier" ? "nothing" : answerOf("silent", next, place)
    },
    closed: async ({ on = "" }) =>
      !started.has(on) || ((await connection.until(() => connection.notices.closed(on))) ? "closed" : "not closed"),
    output: async ({ on = "", bytes = 0 }) =>
      !started.has(on) ||
      (await connection.until(() => connection.notices.written(on) >= bytes || connection.notices.closed(on))),
    stream: async ({ on = "" }) => !streams.has(on) || (await connection.until(() => connection.notices.done(on))),
    watch: async ({ on = "" }) =>
      !watching.has(Number(on)) || (await connection.until(() => connection.notices.fired(Number(on)))),
    reconnect,
  }

  for (const [index, step] of steps.entries()) {
    /** @type {Outcome} */
    const outcome = { answer: "not played" }
    const ended = connection.wire.ended && step.kind !== "reconnect"
    if (ended || outcomes.some(({ answer }) => answer === "no answer")) {
      outcomes.push(outcome)
      continue
    }
    outcomes.push(outcome)
    outcome.answer = await (step.kind === "call" ? call(step, index) : others[step.kind](step))
    if (trees) outcome.tree = snapshot(place.top, plain)
  }
  await kill()
  if (connection.wire.ended && started.size > 0 && session !== "") {
    connection = (await resumed(way, session)).connection
    await kill()
  } else gather()
  const extra = connection.answers.map((one) => answerOf("extra", one, place))
  const { watches, others: unknown } = connection.notices.rest()
  connection.wire.close()
  return { steps: outcomes, rest: saidOf({ watches, unknown, extra }, place), tree: snapshot(place.top, plain) }
}
