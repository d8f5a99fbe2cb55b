// @ts-check
/** `process/attach` and `process/detach` of the control server, and who writes. */
import { flush } from "./Events.mjs"
import { pump } from "./Attached.mjs"
import { row } from "./Lists.mjs"
import { invalidParams, invalidRequest, Refused } from "./Refused.mjs"
import { scope, views } from "./Scopes.mjs"

/**
 * @typedef {import("./Parts.mjs").Attachment} Attachment
 * @typedef {import("./Parts.mjs").Connection} Connection
 * @typedef {import("./Parts.mjs").Entry} Entry
 * @typedef {import("./Parts.mjs").Message} Message
 * @typedef {import("./Parts.mjs").Session} Session
 */

/**
 * @typedef {{
 *   processId?: string | null, name?: string | null, session?: number | null, sessionId?: string | null,
 *   as?: string | null, afterSeq?: number | null, role?: "viewer" | "writer" | null, take?: boolean | null,
 *   policy?: "block" | "skip" | "screen" | null, credit?: number | null
 * }} Params
 */

/** @param {string} message */
const refuse = (message) => {
  throw new Refused(invalidRequest, message)
}

/**
 * Tells a client whether it writes.
 * @param {Session} session
 * @param {Entry} entry
 * @param {Attachment | undefined} one
 * @param {boolean} writer
 */
const tell = (session, entry, one, writer) => {
  const connection = one === undefined ? session.connection : one.connection
  if (!session.parts.tellsRole(writer)) return
  connection?.send({ method: "process/writer", params: { processId: one?.id ?? entry.id, writer } })
}

/**
 * Changes who writes, and tells both.
 * @param {Session} session
 * @param {Entry} entry
 * @param {() => void} change
 */
const changed = (session, entry, change) => {
  const before = entry.writers.at(-1)
  change()
  const after = entry.writers.at(-1)
  if (before === after) return
  entry.moved = true
  tell(session, entry, before, false)
  queueMicrotask(() => tell(session, entry, after, true))
}

/**
 * Tells a connection that has resumed its session whether it writes, where that has changed.
 * @param {Session} session
 */
export const tellAgain = (session) => {
  for (const entry of session.processes.values())
    if (entry.moved && session.parts.tellsRoleAgain())
      tell(session, entry, undefined, entry.writers.length === 0)
}

/**
 * @param {Session} session
 * @param {Entry} entry
 * @param {Attachment} one
 */
const leaveRole = (session, entry, one) => {
  changed(session, entry, () => session.parts.givesBack(entry, one))
}

/** @param {Session} asker @param {Params} params */
const sessionOf = (asker, { session, sessionId }) => {
  const all = [...asker.all.values()]
  if (sessionId != null) return asker.all.get(sessionId) ?? refuse(`unknown session id ${sessionId}`)
  if (session == null || session === asker.number) return asker
  if (!asker.parts.mayView(scope)) return refuse("this needs the scope observe")
  return all.find(({ number }) => number === session) ?? refuse(`unknown session id ${session}`)
}

/** @param {Session} asker @param {Params} params @returns {{ session: Session, entry: Entry }} */
const find = (asker, params) => {
  const { processId, name, session, sessionId } = params
  if ((processId == null) === (name == null)) throw new Refused(invalidParams, "one of processId and name")
  if (session != null && sessionId != null)
    throw new Refused(invalidParams, "session and sessionId exclude each other")
  if (processId != null) {
    const found = sessionOf(asker, params)
    const entry = found.processes.get(processId) ?? refuse(`unknown process id ${processId}`)
    return { session: found, entry }
  }
  const placed = session != null || sessionId != null
  const all = placed ? [sessionOf(asker, params)] : views(scope) ? [...asker.all.values()] : [asker]
  const having = all.flatMap((session) =>
    [...session.processes.values()].flatMap((entry) =>
      entry.names.name === name ? [{ session, entry }] : [],
    ),
  )
  const running = having.filter(({ entry }) => entry.exitedSeq === 0)
  const found = asker.parts.chosenOfName(running.length > 0 ? running : having)
  const [first] = found
  if (first === undefined || found.length > 1)
    return refuse(
      `named ${name}: ${found.map(({ session, entry }) => `${entry.id} of session ${session.number}`).join(", ")}`,
    )
  return first
}

/** @param {Session} asker @param {Params} params */
export const attach = (asker, params) => {
  const { parts, connection } = asker
  if (connection === undefined) return refuse("no connection")
  if (params.take === true && params.role !== "writer")
    throw new Refused(invalidParams, "take belongs to the role writer")
  const { session, entry } = find(asker, params)
  const mine = session === asker || params.sessionId != null
  if (!mine && !parts.mayControl(scope) && (params.role === "writer" || params.policy === "block"))
    return refuse("this needs the scope control")
  const id = params.as ?? entry.id
  const known = connection.attachments.get(id)
  const isOwn = known === undefined && session === asker && id === entry.id
  if (known === undefined ? !isOwn && asker.processes.has(id) : known.entry !== entry)
    return refuse(`process ${id} already exists`)
  const current = entry.writers.at(-1)
  const free = current === undefined ? isOwn || session.connection === undefined : current === known
  if (params.role === "writer" && params.take !== true && !free) return refuse("another client writes")
  if (isOwn) {
    if (params.role === "writer") changed(session, entry, () => (entry.writers = []))
  } else {
    /** @type {Attachment} */
    const one = known ?? {
      id,
      entry,
      session,
      connection,
      last: Math.min(parts.beginsAfter(params.afterSeq ?? 0), entry.next - 1),
      credit: params.credit ?? Infinity,
      holds: parts.holds(params.policy === "block"),
    }
    if (params.role === "writer")
      changed(session, entry, () => {
        entry.writers = [...entry.writers.filter((other) => other !== one), one]
      })
    else leaveRole(session, entry, one)
    if (known === undefined) {
      connection.attachments.set(id, one)
      entry.attachments.add(one)
      queueMicrotask(() => pump(session, one))
    }
  }
  const firstSeq = entry.chunks[0]?.seq ?? entry.next
  const writer = entry.writers.at(-1) === (isOwn ? undefined : connection.attachments.get(id))
  return { processId: id, process: row(session, entry), firstSeq, writer }
}

/** @param {Attachment} one */
const leave = (one) => {
  const { connection, entry, id, session } = one
  connection.attachments.delete(id)
  entry.attachments.delete(one)
  leaveRole(session, entry, one)
  flush(session, entry)
}

/** @param {Session} asker @param {{ processId: string }} params */
export const detach = ({ parts, connection }, { processId }) => {
  const one = connection?.attachments.get(processId) ?? refuse(`${processId} is no attachment`)
  leave(one)
  parts.left(one)
  return {}
}

/** The end of a connection ends its attachments. @param {Connection} connection */
export const lost = (connection) => {
  for (const one of connection.attachments.values()) leave(one)
}

/** @param {Session} asker @param {{ processId: string, bytes: number }} params */
export const credit = ({ connection }, { processId, bytes }) => {
  const one = connection?.attachments.get(processId)
  if (one === undefined) return false
  one.credit += bytes
  pump(one.session, one)
  flush(one.session, one.entry)
  return true
}

const writing = new Set(["process/write", "process/closeStdin"])
const ending = new Set(["process/signal", "process/terminate"])

/**
 * The session and the id that a request is about, if its client may ask for it.
 * @param {Session} session
 * @param {string} method
 * @param {any} params
 * @returns {[Session, any]}
 */
export const target = (session, method, params) => {
  const one = session.connection?.attachments.get(params.processId)
  if (method === "process/start" && one !== undefined)
    return refuse(`process ${params.processId} already exists`)
  if (method === "process/detach" || method === "process/attach" || method === "process/credit")
    return [session, params]
  const entry = one?.entry ?? session.processes.get(params.processId)
  const controls = writing.has(method) || (one !== undefined && ending.has(method))
  if (entry !== undefined && controls && !session.parts.mayWrite(entry.writers.at(-1) === one, one))
    return refuse(`${params.processId} is written to by another client`)
  return one === undefined ? [session, params] : [one.session, { ...params, processId: one.entry.id }]
}
