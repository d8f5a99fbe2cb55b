// @ts-check
/** One connection: parses what comes, keeps the handshake, calls the handlers, answers. */
import * as Attach from "./Attach.mjs"
import * as Handshake from "./Handshake.mjs"
import * as History from "./History.mjs"
import * as Incoming from "./Incoming.mjs"
import * as Lists from "./Lists.mjs"
import * as Params from "./Params.mjs"
import * as Processes from "./Processes.mjs"
import * as Wait from "./Wait.mjs"
import { internalError, invalidRequest, methodNotFound, Refused } from "./Refused.mjs"
/**
 * @typedef {import("./Parts.mjs").Connection} Connection
 * @typedef {import("./Parts.mjs").Message} Message
 * @typedef {import("./Parts.mjs").Parts} Parts
 * @typedef {import("./Parts.mjs").Session} Session
 * @typedef {import("./Parts.mjs").Sessions} Sessions
 */

/**
 * The family that error texts name, and the handler.
 * @type {Record<string, [family: string, run: (session: Session, params: any) => unknown]>}
 */
const methods = {
  "process/start": ["exec", Processes.start],
  "process/read": ["exec", Processes.read],
  "process/write": ["exec", Processes.write],
  "process/signal": ["exec", Processes.signal],
  "process/terminate": ["exec", Processes.terminate],
  "process/credit": ["exec", Processes.credit],
  "process/wait": ["exec", Wait.wait],
  "process/history": ["exec", History.history],
  "process/grep": ["exec", History.grep],
  "process/list": ["exec", Lists.processes],
  "session/list": ["exec", Lists.sessions],
  "process/attach": ["exec", Attach.attach],
  "process/detach": ["exec", Attach.detach],
  "environment/info": ["environment info", Handshake.info],
  "environment/status": ["environment status", () => ({ status: "ready" })],
}

/**
 * The answer to a request that has failed.
 * @param {string | number} id
 * @param {any} error
 * @returns {Message}
 */
const failure = (id, error) => ({
  id,
  error: { code: error.code ?? internalError, message: error.message },
})

/**
 * Answers one request, at once or when its handler has settled. `id` is the JSON text of the id.
 * @param {Parts} parts
 * @param {Sessions} sessions
 * @param {Connection} connection
 * @param {string} id
 * @param {Message} message
 */
const request = (parts, sessions, connection, id, { method = "", params }) => {
  const found = methods[method]
  if (method !== "initialize" && (found === undefined || !Object.hasOwn(methods, method))) {
    const text = `exec-server stub does not implement \`${method}\` yet`
    const answer = parts.unknownMethod(failure(id, new Refused(methodNotFound, text)))
    return answer === undefined ? undefined : connection.send(answer)
  }
  const handle = () => {
    const checked = Params.check(method, parts.received(params), parts.tolerates)
    if (found === undefined) return Handshake.initialize(parts, sessions, connection, checked)
    const [family, run] = found
    Handshake.admit(parts, connection, family)
    const unnamed = { number: 0, openedAtMs: 0, all: sessions }
    const session = connection.session ?? { parts, id: "", processes: new Map(), connection, ...unnamed }
    return run(...Attach.target(session, method, checked))
  }
  try {
    const result = handle()
    if (!(result instanceof Promise)) return connection.send({ id, result })
    connection.waiting.set(id, method)
    return result.then(
      (value) => connection.waiting.delete(id) && connection.send({ id, result: value }),
      (error) => connection.waiting.delete(id) && connection.send(failure(id, error)),
    )
  } catch (error) {
    return connection.send(failure(id, error))
  }
}

/**
 * Answers a request that nobody waits for any more, if it can be cancelled.
 * @param {Parts} parts
 * @param {Connection} connection
 * @param {Message} message
 */
const cancel = (parts, connection, { params }) => {
  const id = JSON.stringify(params?.id ?? null)
  if (!parts.cancellable(connection.waiting.get(id) ?? "")) return
  for (const answer of parts.cancelled(connection, id)) connection.send(answer)
}

/**
 * `label` is how parse errors name the message, `write` sends a JSON text, `end` ends the connection without a message,
 * `leave` when everything is sent.
 * @typedef {object} Wiring
 * @property {Parts} parts
 * @property {Sessions} sessions
 * @property {string} label
 * @property {(text: string) => unknown} write
 * @property {() => unknown} end
 * @property {() => unknown} leave
 */

/**
 * What has come on a connection: a request is answered, initialized is noted, anything else ends the connection.
 * @param {Wiring} wiring
 * @param {Connection} connection
 * @param {Buffer} bytes
 */
const receive = ({ parts, sessions, label, end }, connection, bytes) => {
  let text
  try {
    text = parts.text(bytes)
  } catch {
    return end()
  }
  let message
  try {
    message = Incoming.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const answer = failure(-1, new Refused(invalidRequest, `failed to parse ${label}: ${why}`))
    return connection.send(parts.malformed(answer))
  }
  const { id, method } = message
  if (method === undefined) return end()
  if (id === undefined) {
    if (!parts.knows(message) || connection.step === "new") return end()
    connection.step = parts.notified(connection.step, method)
    if (method === "request/cancel") cancel(parts, connection, message)
    return undefined
  }
  const raw = typeof id === "number" && !Number.isSafeInteger(id) ? Incoming.rawId(text) : JSON.stringify(id)
  return parts.schedule(
    connection,
    () => request(parts, sessions, connection, raw ?? "null", message),
    message,
  )
}

/**
 * A connection that has just been opened.
 * @param {Wiring} wiring
 * @returns {Connection}
 */
export const make = (wiring) => {
  const { parts, write, leave } = wiring
  let left = false
  /** @type {Connection} */
  const connection = {
    step: "new",
    session: undefined,
    send: (message) => {
      if (left) return
      for (const { id, ...rest } of parts.send(message, connection))
        write(id === undefined ? JSON.stringify(rest) : `{"id":${id},${JSON.stringify(rest).slice(1)}`)
    },
    receive: (bytes) => (left ? undefined : receive(wiring, connection, bytes)),
    waiting: new Map(),
    attachments: new Map(),
    leave: (messages) => {
      for (const message of messages) connection.send(message)
      connection.waiting.clear()
      left = true
      leave()
    },
    lost: () => {
      const { session } = connection
      Attach.lost(connection)
      if (session?.connection === connection) parts.detached(session, Processes.end)
    },
  }
  return connection
}
