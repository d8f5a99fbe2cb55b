// @ts-check
// Faults in attachments: who sees, who writes, what is missed. And in lists.
import { all, announced, fault, less, mapped, params, result } from "./changes.mjs"

/** @import { WireFault } from "./changes.mjs" */
/** @import { Fault, Message } from "./relay.mjs" */

/** The same arguments with the scope control. @param {readonly string[]} args */
const controlling = (args) => {
  const at = args.indexOf("--scope")
  return ["--scope", "control", ...(at < 0 ? args : args.toSpliced(at, 2))]
}

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
export const attachments = [
  fault`attach-first-of-the-name: A name of several processes means the first of them.
    process/attach/by-name`.by((c) => ({
    answered: (m, { method, params: { name, ...asked } = {} }) => {
      if (method !== "process/attach" || name === undefined || m.error === undefined) return undefined
      return c.ask("process/list", { name, sessions: "all" }).then(async ({ result: found }) => {
        const [first] = found?.processes ?? []
        if (first === undefined) return m
        const { processId, session } = first
        return { ...(await c.ask(method, { ...asked, processId, session })), id: m.id }
      })
    },
  })),
  fault`attach-from-the-start: An attachment always begins with the first event.
    process/attach/after-seq`.params("process/attach", (asked) => less(asked, "afterSeq")),
  fault`attach-gap-untold: Output that an attachment has missed is not told.
    process/attach/skip-tells-the-gap`.untold(({ method }) => method === "process/gap"),
  fault`gap-without-screen: Output that an attachment has missed is told without what the terminal shows.
    process/attach/screen-jumps-to-the-picture`.event("process/gap", (told) => less(told, "screen")),
  fault`attach-never-stalls: The policy block is skip.
    process/attach/block-stalls-the-child`.params("process/attach", (asked) =>
    asked.policy === "block" ? { ...asked, policy: "skip" } : asked,
  ),
  fault`attach-observers-write: Who may only look may write, too.
    process/attach/scope/observe`
    .with({ args: (args) => (args.includes("observe") ? controlling(args) : args) })
    .by(announced({ processControlAll: false })),
  fault`attach-of-everybody: Every client sees and controls the processes of all.
    process/attach/session-by-its-id process/attach/scope/own process/attach/scope/observe`
    .with({ args: controlling })
    .by(announced({ processControlAll: false })),
  fault`attach-role-untold: Who loses the role of the writer is not told.
    process/attach/one-writer-at-a-time process/attach/role-goes-back process/attach/role-after-a-resume
    process/attach/owner-takes-it-back`.untold(
    ({ method, params: { writer } }) => method === "process/writer" && !writer,
  ),
  fault`attach-viewer-writes: Viewers write.
    process/attach/viewers-do-not-write process/attach/one-writer-at-a-time process/attach/owner-takes-it-back`.by(
    (c) => {
      /** The id of a process on each connection, and that of its owner. @type {Array<[typeof c, string, string]>} */
      const names = (c.server.notes.names ??= [])
      return {
        answered: (m, { method, params: asked }) => {
          const { processId, process: row = {} } = m.result ?? {}
          if (method === "process/start") names.push([c, processId, processId])
          if (method === "process/attach") names.push([c, processId, row.processId])
          if (m.error === undefined || !/^process\/(write|signal|terminate)$/.test(method)) return undefined
          const [, , name] = names.find(([of, id]) => of === c && id === asked.processId) ?? []
          const others = names.filter(([of, , other]) => of !== c && other === name)
          const answers = others.map(([of, id]) => of.ask(method, { ...asked, processId: id }))
          return Promise.all(answers).then((all) => ({ ...(all.find(({ error }) => !error) ?? m), id: m.id }))
        },
      }
    },
  ),
  fault`detach-ends-the-process: Who leaves a process ends it.
    process/attach/own-process-again`.by((c) => ({
    answered: ({ result: found }, { method }) =>
      void (
        method === "process/attach" &&
        found &&
        (c.server.notes[found.processId] = found.process.processId)
      ),
    asked: ({ method, params: { processId } = {} }) =>
      void (
        method === "process/detach" && c.ask("process/terminate", { processId: c.server.notes[processId] })
      ),
  })),
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
]
