// @ts-check
// Faults in sessions, their resumes, and the order in which requests are answered.
import { endAll, fault, resume, untold } from "./changes.mjs"

/** @import { WireFault } from "./changes.mjs" */
/** @import { Fault, Hooks } from "./relay.mjs" */

/** @type {Fault} */
export const endsWithItsConnection = (c) => ({ left: () => endAll(c) })

/** Each request behind the answer to the one before. @param {{ last?: Promise<unknown> }} line @returns {Hooks} */
const inLine = (line) => {
  /** @type {Map<string, () => void>} */
  const ends = new Map()
  return {
    asked: (m) => {
      if (m.id === undefined) return undefined
      const turn = line.last ?? Promise.resolve()
      line.last = new Promise((resolve) => ends.set(JSON.stringify(m.id), () => resolve(undefined)))
      return turn.then(() => m)
    },
    answered: (m) => void ends.get(JSON.stringify(m.id))?.(),
    left: () => ends.forEach((end) => end()),
  }
}

/** @type {readonly WireFault[]} */
export const sessions = [
  fault`session-end-ignored: session/end is answered, and does nothing.
    session/end/ends-session-and-processes session/end/is-the-last-request`.by(() => ({
    asked: (m) => (m.method === "session/end" ? { id: m.id, result: {} } : undefined),
  })),
  fault`sessions-share-processes: Every session sees the processes of all sessions.
    session/isolated`.by((c) => ({
    asked: (m) => {
      const { processId } = m.params ?? {}
      const owner = [...c.server.connections].find(
        (other) => other.session !== c.session && c.server.processes.get(other.session)?.has(processId),
      )
      if (owner === undefined || !m.method.startsWith("process/")) return undefined
      if (m.method === "process/start") return c.refuse(m, -32600, `process ${processId} already exists`)
      return owner.ask(m.method, m.params).then((answer) => (c.tell({ ...answer, id: m.id }), []))
    },
  })),
  fault`detach-kills: The loss of a connection ends the processes of its session.
    session/detach-keeps-processes session/takeover/just-detached`.by(endsWithItsConnection),
  fault`resume-counts-anew: After a resume the seqs of a process begin again at 1.
    session/resume-continues-the-count`.by((c) => ({
    told: (m, known) => {
      const { seq } = m.params
      if (!c.greeting.resumeSessionId || seq === undefined) return undefined
      known.base ??= seq - 1
      return { ...m, params: { ...m.params, seq: seq - known.base } }
    },
  })),
  fault`resume-repeats: After a resume all output is pushed again.
    session/resume-continues-the-count`.by((c) =>
    resume((asked) => {
      const ids = [...(c.server.processes.get(asked.resumeSessionId) ?? [])]
      return { ...asked, replayAfter: Object.fromEntries(ids.map((id) => [id, 0])) }
    }),
  ),
  fault`resume-takes-over: A session that is attached can be resumed by another connection.
    session/attached-session-refused session/takeover/without-it-refused`.by({
    ...resume((asked) => ({ ...asked, takeover: asked.takeover || true })),
    ...untold(({ method }) => method === "session/taken"),
  }),
  fault`wait-blocks-its-connection: A request waits until the one before on its connection is answered, also behind
    a read that waits.
    concurrency/long-poll-delays-nobody`.by(() => inLine({})),
  fault`wait-blocks-everybody: A request waits until the one before is answered, on whatever connection.
    websocket/connections-are-independent`
    .with({ everywhere: true })
    .by(({ server: { notes } }) => inLine(notes)),
]
