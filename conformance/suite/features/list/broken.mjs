// @ts-check
// Servers that are wrong in lists, changes and pids.
import { all, fault, less, mapped, params, result } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */
/** @import { Fault, Message } from "../../../lab/faults/wire/relay.mjs" */

/** A whole list, in pages by a fault. @param {(rows: Message[]) => Message[]} change @returns {Fault} */
const listed = (change) => (c) => ({
  asked: (m) => {
    if (m.method !== "process/list") return undefined
    const { cursor, limit, ...query } = m.params
    return c.ask(m.method, query).then(({ result: found, error }) => {
      if (error !== undefined) return m
      const [from, rows] = [Number(cursor ?? 0), change(found.processes)]
      const to = from + (limit ?? rows.length)
      return c.reply(m, { processes: rows.slice(from, to), nextCursor: to < rows.length ? `${to}` : null })
    })
  },
})

/**
 * Rows of lists.
 * @param {"process" | "session"} kind
 * @param {(row: Message) => Message} change
 */
const rows = (kind, change) =>
  result(`${kind}/list`, (list) =>
    mapped(list, (value) => (Array.isArray(value) ? value.map(change) : value)),
  )

/** Grows with each row, as time does. */
let moment = 0

/** @type {readonly WireFault[]} */
export const broken = [
  fault`list-newest-first: A list begins with the newest process, so that pages move when one starts.
    process/list/pages`.by(listed((found) => found.toReversed())),
  fault`list-of-everybody: Lists show every session to everybody.
    process/list/own-session-only`
    .with({ args: (args) => [...args, "--list-sessions", "all"] })
    .by(
      all(
        params("process/list", (asked) => ({ ...asked, sessions: "all" })),
        params("session/list", (asked) => ({ ...asked, sessions: "all" })),
      ),
    ),
  fault`list-owns-everything: A list of all sessions says of each that it is the own one.
    session/list/all-where-allowed`.by(rows("session", (row) => ({ ...row, own: true }))),
  fault`list-shows-session-ids: A session is listed by its id, which is a secret.
    session/list/never-has-an-id`.by((c) =>
    rows("session", (row) => ({ ...row, session: row.own ? c.session : row.session })),
  ),
  fault`list-unfiltered: A list has processes of every state.
    process/list/filters`.params("process/list", (asked) => less(asked, "states")),
  fault`list-ended-when-asked: Lists tell of what has ended that it did when the list was asked for.
    process/list/tells-when-it-ended`.by(
    rows("process", (row) =>
      "endedAtMs" in row ? { ...row, endedAtMs: row.endedAtMs + (moment += 1) } : row,
    ),
  ),
  fault`list-without-labels: Lists do not tell what a process is labelled with.
    process/list/tells-what-runs`.by(rows("process", (row) => ({ ...row, labels: {} }))),
  fault`pid-of-another: A start tells the pid of another process.
    process/pid/is-that-of-the-list`.result("process/start", (started) =>
    started.pid === undefined ? started : { ...started, pid: started.pid + 1 },
  ),
  fault`pid-unasked: A start tells the pid although it was not asked for.
    process/pid/only-when-asked process/start/pid-is-not-revealed`.params("process/start", (asked) => ({
    ...asked,
    pid: true,
  })),
  fault`auto-remove-ignored: A process that is to be removed when it has ended stays.
    process/auto-remove/when-it-is-closed`.params("process/start", (asked) => less(asked, "autoRemove")),
  fault`changes-without-removals: Changes do not tell what is removed.
    process/changes/tells-what-happens-in-order`.result("process/changes", ({ changes, ...told }) => ({
    ...told,
    changes: changes.map((/** @type {any} */ one) =>
      one.kind === "removed" ? { ...one, kind: "exited" } : one,
    ),
  })),
  fault`changes-at-once: A request for changes does not wait.
    process/changes/waits-for-news`.params("process/changes", (asked) => less(asked, "waitMs")),
  fault`changes-missed-untold: Changes that are no longer kept are not told to be missed.
    process/changes/tells-what-is-missed`.result("process/changes", (told) => less(told, "missed")),
]
