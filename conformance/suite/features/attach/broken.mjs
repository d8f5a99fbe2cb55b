// @ts-check
// Servers that are wrong in attachments: who sees, who writes, what is missed.
import { announced, fault, less } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */

/** The same arguments with the scope control. @param {readonly string[]} args */
const controlling = (args) => {
  const at = args.indexOf("--scope")
  return ["--scope", "control", ...(at < 0 ? args : args.toSpliced(at, 2))]
}

/** @type {readonly WireFault[]} */
export const broken = [
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
      /** The name of a process on each connection, and on that of its owner. @type {Array<[typeof c, string, string]>} */
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
  fault`remove-ignored: A process that is removed stays.
    process/terminate/remove-forgets`.params("process/terminate", (asked) => less(asked, "remove")),
]
