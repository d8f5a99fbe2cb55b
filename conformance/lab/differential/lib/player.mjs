// @ts-check
// Plays one sequence on one server: a step after the other, each with what it was answered.
import * as Link from "./link.mjs"
import { answerOf, plainIn, saidOf } from "./normal.mjs"
import { snapshot } from "./tree.mjs"
import { members, parsed } from "./values.mjs"

/**
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
 * @typedef {{ wrap?: Link.Wrap, trees?: boolean, patience?: number }} PlayOptions with `trees` each step has what the
 *   folder was after it
 *
 * @typedef {object} State of one sequence
 * @property {Link.Way} way
 * @property {Place} place
 * @property {Link.Link} link
 * @property {string} session
 * @property {Map<string, number>} started the processes of this link, with the steps that say what they did
 * @property {Map<string, number>} streams
 * @property {Set<string>} terminals the processes whose output has no steady borders: that of a terminal
 * @property {Set<unknown>} watching the watches that were accepted
 * @property {Outcome[]} outcomes
 */

/** How long an answer may take, in milliseconds. */
const standardPatience = 10_000
/** How long a watch may take to fire for what the last steps did, in milliseconds. */
const watchPatience = 1000

/** @param {Place} place @param {string} text */
const placed = ({ work, origin }, text) =>
  text
    .replaceAll("{U}", `file://${work}`)
    .replaceAll("{D}", work)
    .replaceAll("{O}", origin)
    .replaceAll("{HOST}", origin.slice("http://".length))

/** Adds to each start and request what came of it. @param {State} state */
const gather = ({ started, streams, link, outcomes, place }) => {
  const tell = (/** @type {number} */ index, /** @type {unknown} */ said) => {
    const outcome = outcomes[index]
    if (outcome && said !== undefined) outcome.said = saidOf(said, place)
  }
  for (const [id, index] of started) tell(index, link.notices.processSaid(id))
  for (const [id, index] of streams) tell(index, link.notices.streamSaid(id))
}

/**
 * A part of what has ended, or of a terminal, begins and ends where chunks happen to: such a part is left out.
 * @param {unknown} request
 * @param {import("./values.mjs").Members} answer
 * @param {Set<string>} terminals
 */
const steadyRead = (request, answer, terminals) => {
  const params = Object(members(request)["params"])
  const [id, second, third] = Array.isArray(params)
    ? params
    : [params.processId, params.afterSeq, params.maxBytes]
  if (answer["result"] === undefined) return answer
  const result = members(answer["result"])
  const part = typeof second === "number" || typeof third === "number"
  if (!part || !(terminals.has(String(id)) || result["exited"] === true)) return answer
  const nextSeq = result["exited"] === true ? result["nextSeq"] : typeof result["nextSeq"]
  return { ...answer, result: { ...result, chunks: [], nextSeq } }
}

/** @typedef {(state: State, step: Step, index: number) => Promise<unknown>} Play */

/** @type {Play} */
const call = async (state, { method, text = "" }, index) => {
  state.link.wire.send(placed(state.place, text))
  const answer = await state.link.answer()
  if (typeof answer === "string") return answer
  const params = members(members(parsed(text))["params"])
  const { result } = answer
  if (method === "initialize" && result) state.session = String(members(result)["sessionId"])
  if (method === "process/start" && result) {
    const id = String(members(result)["processId"])
    state.started.set(id, index)
    if (params["tty"] === true) state.terminals.add(id)
  }
  if (method === "http/request" && result && params["streamResponse"] === true)
    state.streams.set(String(params["requestId"]), index)
  if (method === "fs/watchMissing" && members(result)["watching"] === true)
    state.watching.add(params["watchId"])
  const steady = method === "process/read" ? steadyRead(parsed(text), answer, state.terminals) : answer
  return answerOf(method, steady, state.place)
}

/** @type {Play} */
const silent = async ({ link: { wire, answer }, place }, { text = "" }) => {
  wire.send(placed(place, text))
  wire.send('{"id":"barrier","method":"environment/status"}')
  const next = await answer()
  return typeof next === "string" || next["id"] === "barrier" ? "nothing" : answerOf("silent", next, place)
}

/** @type {Play} */
const reconnect = async (state) => {
  if (state.session === "") return "no session"
  await Link.kill(state.link, state.started.keys())
  gather(state)
  for (const known of [state.started, state.streams, state.watching]) known.clear()
  state.link.wire.close()
  const { link, first } = await Link.resumed(state.way, state.session)
  state.link = link
  return answerOf("reconnect", { ok: first["result"] !== undefined, error: first["error"] }, state.place)
}

/** @type {Record<Step["kind"], Play>} */
const kinds = {
  call,
  silent,
  reconnect,
  closed: async ({ started, link: { until, notices } }, { on = "" }, index) => {
    // A start in another form may have started a process under another id.
    const id = started.has(on) ? on : [...started].find(([, start]) => start === index - 1)?.[0]
    return id === undefined || ((await until(() => notices.closed(id))) ? "closed" : "not closed")
  },
  output: async ({ started, link: { until, notices } }, { on = "", bytes = 0 }) =>
    !started.has(on) || (await until(() => notices.written(on) >= bytes || notices.closed(on))),
  stream: async ({ streams, link: { until, notices } }, { on = "" }) =>
    !streams.has(on) || (await until(() => notices.done(on))),
  watch: async ({ watching, link: { until, notices } }, { on = "" }) =>
    !watching.has(Number(on)) || (await until(() => notices.fired(Number(on)))),
}

/** Ends what runs, and says what is left over. @param {State} state */
const finish = async (state) => {
  const { link, started, session, place, watching } = state
  await Link.kill(link, started.keys())
  await link.until(() => [...watching].every((id) => link.notices.fired(Number(id))), watchPatience)
  if (link.wire.ended && started.size > 0 && session !== "") {
    const again = await Link.resumed(state.way, session)
    await Link.kill(again.link, started.keys())
    again.link.wire.close()
  } else gather(state)
  const extra = link.answers.map((one) => answerOf("extra", one, place))
  const { watches, others: unknown } = link.notices.rest()
  link.wire.close()
  return saidOf({ watches, unknown, extra }, place)
}

/**
 * Plays a sequence.
 * @param {Server} server
 * @param {Sequence} sequence
 * @param {Place} place
 * @param {PlayOptions} [options]
 * @returns {Promise<Transcript>}
 */
export const play = async (server, { handshake, steps }, place, options = {}) => {
  const { wrap = (wire) => wire, trees = false, patience = standardPatience } = options
  const plain = plainIn(place)
  const way = { server, wrap, plain, patience }
  const link = await Link.connect(way)
  /** @type {State} */
  const state = {
    way,
    place,
    link,
    session: "",
    started: new Map(),
    streams: new Map(),
    terminals: new Set(),
    watching: new Set(),
    outcomes: [],
  }
  if (handshake) state.session = String(members(members(await Link.handshake(link))["result"])["sessionId"])
  let broken = false
  for (const [index, step] of steps.entries()) {
    /** @type {Outcome} */
    const outcome = { answer: "not played" }
    state.outcomes.push(outcome)
    if (broken || (state.link.wire.ended && step.kind !== "reconnect")) continue
    outcome.answer = await kinds[step.kind](state, step, index)
    broken = outcome.answer === "no answer"
    if (trees) outcome.tree = snapshot(place.top, plain)
  }
  const rest = await finish(state)
  return { steps: state.outcomes, rest, tree: snapshot(place.top, plain) }
}
