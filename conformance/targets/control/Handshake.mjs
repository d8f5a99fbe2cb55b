// @ts-check
/** initialize and initialized: a connection gets a session, a new one or one that was left behind. */
import { randomUUID } from "node:crypto"
import { tellAgain } from "./Attach.mjs"
import { scope, views } from "./Scopes.mjs"
import * as Evidence from "./Evidence.mjs"
import { replay } from "./Events.mjs"
import { listsAll } from "./Lists.mjs"
import { invalidRequest, Refused, sessionAttached } from "./Refused.mjs"
/**
 * @typedef {import("./Parts.mjs").Connection} Connection
 * @typedef {import("./Parts.mjs").Parts} Parts
 * @typedef {import("./Parts.mjs").Session} Session
 * @typedef {import("./Parts.mjs").Sessions} Sessions
 */

/** The result of `environment/info`. */
export const info = () => ({
  shell: { name: "sh", path: "/bin/sh" },
  capabilities: {
    sessionReplay: true,
    sessionTakeover: true,
    processSignals: true,
    processCredit: true,
    processReceipt: true,
    requestCancel: true,
    processWait: true,
    processWaitPort: Evidence.known,
    processWaitInput: Evidence.known,
    processDeadlines: true,
    outputHistory: true,
    processList: true,
    processListAll: listsAll || views(scope),
    processMarks: true,
    processAttach: true,
    processAttachAll: views(scope),
    processControlAll: scope === "control",
  },
})

/**
 * The session that a client wants to resume, or a new one.
 * @param {Parts} parts
 * @param {Sessions} sessions
 * @param {string | null | undefined} wanted
 * @param {boolean} takeover
 * @returns {Session}
 */
const sessionOf = (parts, sessions, wanted, takeover) => {
  if (wanted === undefined || wanted === null) {
    const opened = { number: sessions.size + 1, openedAtMs: Date.now(), all: sessions }
    const processes = parts.processes(sessions)
    const session = { parts, id: randomUUID(), processes, connection: undefined, ...opened }
    sessions.set(session.id, session)
    return session
  }
  const session = sessions.get(wanted)
  if (session === undefined) throw new Refused(invalidRequest, `unknown session id ${wanted}`)
  const holder = session.connection
  if (takeover && holder !== undefined && parts.yields(holder)) parts.handOver(session, holder)
  if (!parts.free(session))
    throw new Refused(sessionAttached, `session ${wanted} is already attached to another connection`)
  parts.resumed(session)
  return session
}

/**
 * Attaches a session to the connection; the result of `initialize`.
 * @param {Parts} parts
 * @param {Sessions} sessions
 * @param {Connection} connection
 * @param {{ resumeSessionId?: string | null, replayAfter?: Record<string, number> | null,
 *   credit?: Record<string, number> | null, takeover?: boolean | null }} params
 */
export const initialize = (parts, sessions, connection, params) => {
  const { resumeSessionId, replayAfter, credit, takeover } = params
  if (connection.step !== "new")
    throw new Refused(invalidRequest, "initialize may only be sent once per connection")
  const session = sessionOf(parts, sessions, resumeSessionId, takeover === true)
  connection.step = "named"
  connection.session = session
  session.connection = connection
  // Notifications come after the answer.
  queueMicrotask(() => {
    replay(session, replayAfter ?? {}, credit ?? {})
    tellAgain(session)
  })
  return { sessionId: session.id, environmentInfo: info() }
}

/**
 * Refuses a method of a family before the handshake is complete.
 * @param {Parts} parts
 * @param {Connection} connection
 * @param {string} family
 */
export const admit = (parts, connection, family) => {
  if (parts.admits(connection)) return
  const missing = connection.step === "new" ? "call initialize" : "send initialized"
  throw new Refused(invalidRequest, `client must ${missing} before using ${family} methods`)
}
