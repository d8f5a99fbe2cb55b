/**
 * One connection: parses what comes, keeps the handshake, calls the handlers, answers.
 *
 * `write` takes a JSON text, `end` ends the connection without a word.
 */
import { randomUUID } from "node:crypto"
import * as Params from "./Params.mjs"
import * as Processes from "./Processes.mjs"
import { internalError, invalidRequest, methodNotFound, Refused, sessionAttached } from "./Refused.mjs"

const info = () => ({ shell: { name: "sh", path: "/bin/sh" }, capabilities: { sessionReplay: true } })

const methods = {
  "process/start": ["exec", Processes.start],
  "process/read": ["exec", Processes.read],
  "process/write": ["exec", Processes.write],
  "process/signal": ["exec", Processes.interrupt],
  "process/terminate": ["exec", Processes.terminate],
  "environment/info": ["environment info", info],
  "environment/status": ["environment status", () => ({ status: "ready" })],
}

/** The `id` at the top of a message as it was written: more digits than a number holds. */
const rawId = (text) => {
  let depth = 0
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)].map(([token]) => token)
  for (const [index, token] of tokens.entries()) {
    if (token === "{" || token === "[") depth++
    else if (token === "}" || token === "]") depth--
    else if (token === '"id"' && depth === 1 && tokens[index + 1] === ":") return tokens[index + 2]
  }
  return undefined
}

const isMessage = (value) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const { id, method } = value
  if ("id" in value && typeof id !== "string" && !Number.isInteger(id)) return false
  return "method" in value ? typeof method === "string" : "result" in value || "error" in value
}

export const make = ({ parts, sessions, label, write, end }) => {
  const connection = { step: "new", session: undefined, busy: Promise.resolve() }

  connection.send = (message) => {
    for (const { id, ...rest } of parts.send(message, connection))
      write(id === undefined ? JSON.stringify(rest) : `{"id":${id},${JSON.stringify(rest).slice(1)}`)
  }

  const initialize = ({ resumeSessionId: wanted, replayAfter }) => {
    if (connection.step !== "new")
      throw new Refused(invalidRequest, "initialize may only be sent once per connection")
    let session = wanted == null ? undefined : sessions.get(wanted)
    if (wanted != null && session === undefined)
      throw new Refused(invalidRequest, `unknown session id ${wanted}`)
    if (session !== undefined && !parts.free(session))
      throw new Refused(sessionAttached, `session ${wanted} is already attached to another connection`)
    if (session === undefined) {
      session = { parts, id: randomUUID(), processes: parts.processes(sessions) }
      sessions.set(session.id, session)
    } else parts.resumed(session)
    connection.step = "named"
    connection.session = session
    // Notifications come after the answer.
    queueMicrotask(() => {
      Processes.replay(session, replayAfter ?? {}, connection.send)
      session.connection = connection
    })
    return { sessionId: session.id, environmentInfo: info() }
  }

  const handle = (method, params) => {
    if (method === "initialize") return initialize(Params.check(method, params, parts.tolerates))
    const [family, run] = methods[method]
    const checked = Params.check(method, params, parts.tolerates)
    if (!parts.admits(connection)) {
      const missing = connection.step === "new" ? "call initialize" : "send initialized"
      throw new Refused(invalidRequest, `client must ${missing} before using ${family} methods`)
    }
    return run(connection.session ?? { parts, processes: new Map(), connection }, checked)
  }

  const failure = (id, error) => ({
    id,
    error: { code: error.code ?? internalError, message: error.message },
  })

  const settle = (id, result) => {
    if (result instanceof Promise)
      return result.then(
        (value) => connection.send({ id, result: value }),
        (error) => connection.send(failure(id, error)),
      )
    return connection.send({ id, result })
  }

  const request = (id, { method, params }) => {
    if (method !== "initialize" && !Object.hasOwn(methods, method)) {
      const text = `exec-server stub does not implement \`${method}\` yet`
      const answer = parts.unknownMethod(failure(id, new Refused(methodNotFound, text)))
      return answer === undefined ? undefined : connection.send(answer)
    }
    try {
      return settle(id, handle(method, params))
    } catch (error) {
      return connection.send(failure(id, error))
    }
  }

  connection.receive = (bytes) => {
    let message
    let text
    try {
      text = parts.text(bytes)
    } catch {
      return end()
    }
    try {
      message = JSON.parse(text)
      if (!isMessage(message)) throw new Error("no message")
    } catch (error) {
      const answer = failure(-1, new Refused(invalidRequest, `failed to parse ${label}: ${error.message}`))
      return connection.send(parts.malformed(answer))
    }
    const { id, method } = message
    if (method === undefined) return end()
    if (id === undefined) {
      if (!parts.knows(message) || connection.step === "new") return end()
      connection.step = "ready"
      return undefined
    }
    const raw = typeof id === "number" && !Number.isSafeInteger(id) ? rawId(text) : JSON.stringify(id)
    return parts.schedule(connection, () => request(raw, message), message)
  }

  connection.lost = () => {
    if (connection.session?.connection === connection) parts.detached(connection.session, Processes.end)
  }

  return connection
}
