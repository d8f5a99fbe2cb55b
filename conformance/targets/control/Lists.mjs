// @ts-check
/** `process/list` and `session/list` of the control server. */
import { pathToFileURL } from "node:url"
import { scope, views } from "./Scopes.mjs"
import { path } from "./Params.mjs"
import { invalidParams, Refused } from "./Refused.mjs"

/**
 * @typedef {import("./Parts.mjs").Entry} Entry
 * @typedef {import("./Parts.mjs").Session} Session
 */

/**
 * @typedef {{
 *   sessions?: "own" | "all" | null, limit?: number | null, cursor?: string | null, name?: string | null,
 *   labels?: Record<string, string> | null, states?: Array<string> | null
 * }} Query
 */

/** Whether every client may list all sessions. */
export const listsAll = process.argv.includes("--list-sessions") && process.argv.includes("all")

/** @param {Session} session @param {Query} query */
const seen = (session, { sessions }) => {
  if (!session.parts.listable(sessions === "all", listsAll || views(scope)))
    throw new Refused(invalidParams, "this server lists no sessions of others")
  return session.parts.seen(session, sessions === "all")
}

/** @param {Array<any>} rows @param {Query} query */
const page = (rows, { limit, cursor }) => {
  const begin = cursor == null ? 0 : Number(/^after (\d+)$/.exec(cursor)?.[1] ?? "NaN")
  if (Number.isNaN(begin)) throw new Refused(invalidParams, "cursor must be the nextCursor of a page")
  const most = Math.min(limit ?? 100, 500)
  const left = rows.slice(begin)
  return { rows: left.slice(0, most), nextCursor: left.length > most ? `after ${begin + most}` : null }
}

/** @param {Entry} entry */
const stateOf = ({ closed, exitedSeq }) => (closed ? "closed" : exitedSeq > 0 ? "exited" : "running")

/** @param {Session} session @param {Entry} entry */
export const row = ({ number, connection, parts }, entry) => ({
  processId: entry.id,
  session: number,
  attached: connection !== undefined,
  ...parts.labelled(entry.names),
  argv: entry.argv,
  cwd: pathToFileURL(path(entry.cwd)).href,
  pid: entry.child.pid ?? null,
  tty: false,
  startedAtMs: entry.startedAtMs,
  state: stateOf(entry),
  exitCode: entry.exitCode,
  bytes: entry.written,
  nextSeq: entry.next,
})

/** @param {Query} query */
const matches =
  ({ name, labels, states }) =>
  (/** @type {Entry} */ entry) =>
    (name == null || entry.names.name === name) &&
    (states == null || states.includes(stateOf(entry))) &&
    Object.entries(labels ?? {}).every(([key, value]) => entry.names.labels?.[key] === value)

/** @param {Session} session @param {Query} query */
export const processes = (session, query) => {
  const { parts } = session
  const listed = seen(session, query).flatMap((one) =>
    parts
      .listed([...one.processes.values()].filter(matches(parts.wanted(query))))
      .map((entry) => row(one, entry)),
  )
  const { rows, nextCursor } = page(listed, query)
  return { processes: rows, nextCursor }
}

/** @param {Session} session @param {Query} query */
export const sessions = (session, query) => {
  const listed = seen(session, query).map((one) => ({
    session: session.parts.sessionNumber(one),
    own: session.parts.owns(session, one),
    attached: one.connection !== undefined,
    openedAtMs: one.openedAtMs,
    processes: one.processes.size,
  }))
  const { rows, nextCursor } = page(listed, query)
  return { sessions: rows, nextCursor }
}
