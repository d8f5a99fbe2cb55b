// @ts-check
// Faults in sessions: resumes, replays, takeovers and credit.
import { all, bytesOf, fault, less, mapped, params, untold } from "./changes.mjs"

/** @import { WireFault } from "./changes.mjs" */
/** @import { Connection, Fault, Message } from "./relay.mjs" */

/** The params of a resume. @param {(params: Message) => Message} change */
const resume = (change) =>
  params("initialize", (asked) => (typeof asked?.resumeSessionId === "string" ? change(asked) : asked))

/** The seqs behind which a replay begins. @param {(seq: any) => any} change */
const replay = (change) =>
  resume((asked) =>
    asked.replayAfter ? { ...asked, replayAfter: mapped(asked.replayAfter, change) } : asked,
  )

/** Ends the processes of a session. @param {Connection} c */
const endAll = (c) => {
  const ids = [...(c.server.processes.get(c.session) ?? [])]
  return Promise.all(ids.map((processId) => c.ask("process/terminate", { processId })))
}

/** @type {Fault} */
export const endsWithItsConnection = (c) => ({ left: () => endAll(c) })

/** The code of requests whose session was taken. */
const taken = -32012

/** The rest of the credit of processes, by their ids. @param {Connection} c @returns {Map<string, number>} */
const leftOf = ({ server: { notes } }) => (notes.left ??= new Map())

/** Takes down what is left. @type {Fault} */
const counting = (c) => ({
  asked: ({ method, params }) =>
    void (method === "process/start" && params.credit && leftOf(c).set(params.processId, params.credit)),
  told: ({ method, params: { processId, chunk } }) => {
    const left = method === "process/output" ? leftOf(c).get(processId) : undefined
    if (left !== undefined) leftOf(c).set(processId, left - Math.max(64, bytesOf(chunk).length))
    return undefined
  },
})

const most = 65_536

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
  fault`replay-ignored: A replay is announced, asked for, and does not happen.
    session/replay/missed-is-pushed session/replay/exit-and-end session/replay/again-for-each-resume
    session/replay/goes-over-into-the-new`.by(resume((asked) => less(asked, "replayAfter"))),
  fault`replay-from-the-start: A replay pushes everything that is retained, whatever the client has.
    session/replay/missed-is-pushed session/replay/again-for-each-resume`.by(replay(() => 0)),
  fault`takeover-ignored: A session that is attached cannot be taken over, although that is announced.
    session/takeover/attached session/takeover/attaching session/takeover/waiting-read
    session/takeover/blocked-write session/takeover/two-at-once session/takeover/during-a-replay
    session/takeover/stalled-holder session/takeover/processes-go-over`.by(
    resume((asked) => (asked.takeover === true ? less(asked, "takeover") : asked)),
  ),
  fault`takeover-unasked: A session that is attached is taken over whatever takeover is.
    session/takeover/without-it-refused session/takeover/bad-values-refused`.by(
    resume((asked) => ({ ...asked, takeover: true })),
  ),
  fault`takeover-opens-sessions: An unknown session is made when it is to be taken over.
    session/takeover/unknown-and-new`.by(
    resume((asked) =>
      asked.takeover === true && asked.resumeSessionId === "nobody" ? less(asked, "resumeSessionId") : asked,
    ),
  ),
  fault`takeover-leaves-reads-waiting: Requests that wait on a connection whose session is taken get no answer.
    session/takeover/waiting-read session/takeover/blocked-write`.error(taken, () => []),
  fault`takeover-leaves-the-old-open: A connection whose session is taken is told so, and stays open.
    session/takeover/attached session/takeover/attaching session/takeover/two-at-once`.by((c) => ({
    told: ({ method }) => void (c.greeting.taken ||= method === "session/taken"),
    ended: () => !c.greeting.taken,
  })),
  fault`takeover-pushes-to-both: A connection whose session is taken still gets its events.
    session/takeover/attached`.by((c) => ({
    told: (m) => {
      for (const other of c.server.notes.taken ?? [])
        if (other !== c && other.session === c.session) other.tell(m)
      if (m.method === "session/taken") (c.server.notes.taken ??= new Set()).add(c)
      return undefined
    },
    ended: () => {
      if (!c.server.notes.taken?.has(c)) return true
      setTimeout(() => (c.server.notes.taken.delete(c), c.end()), 500)
      return false
    },
  })),
  fault`credit-ignored: Output leaves whatever the credit is.
    process/credit/nothing-beyond-it process/credit/grants-go-on-where-it-stopped
    process/credit/first-grant-begins-it process/credit/anew-with-a-resume
    process/credit/small-chunks-count-as-64`.by((c) => ({
    asked: (m) => {
      if (m.method === "process/credit") return c.reply(m, {})
      return ["process/start", "initialize"].includes(m.method)
        ? { ...m, params: less(m.params, "credit") }
        : undefined
    },
  })),
  fault`credit-by-bytes: A small chunk counts as its bytes and no more.
    process/credit/small-chunks-count-as-64`.by((c) => {
    const credited = new Set()
    return {
      asked: ({ method, params }) =>
        void (method === "process/start" && params.credit !== undefined && credited.add(params.processId)),
      told: ({ method, params: { processId, chunk } }) => {
        const left = method === "process/output" && credited.has(processId) ? 64 - bytesOf(chunk).length : 0
        return void (left > 0 && c.ask("process/credit", { processId, bytes: left }))
      },
    }
  }),
  fault`credit-replaced: A grant replaces what was left.
    process/credit/grants-go-on-where-it-stopped`.by(
    all(counting, (c) =>
      params("process/credit", (asked) => {
        const left = leftOf(c).get(asked.processId) ?? 0
        leftOf(c).set(asked.processId, Math.max(left, asked.bytes))
        return { ...asked, bytes: Math.max(0, asked.bytes - left) }
      }),
    ),
  ),
  fault`credit-of-everybody: What waits for credit of its process holds up every other process.
    process/credit/others-go-on`.by(
    all(counting, (c) => {
      /** @type {Message[]} */
      const held = []
      return {
        asked: ({ method, params }) => {
          if (method === "process/credit" && leftOf(c).delete(params.processId))
            held.splice(0).forEach(c.tell)
          return undefined
        },
        told: (m) => {
          const waits = [...leftOf(c)].some(([id, left]) => id !== m.params.processId && left < most)
          return waits ? (held.push(m), []) : undefined
        },
      }
    }),
  ),
  fault`credit-spares-the-end: Exited and closed do not wait for output that waits for credit.
    process/credit/end-waits-too`.by((c) => ({
    answered: ({ result }, { method, params: { processId, credit } = {} }, known) => {
      if (method !== "process/start" || !result || !credit) return undefined
      const closed = c.ask("process/wait", { processId, until: [{ closed: true }], maxBytes: 0 })
      return void closed.then(({ result: { exitCode, nextSeq } }) => {
        known.ended = true
        c.tell({ method: "process/exited", params: { processId, seq: nextSeq - 2, exitCode } })
        c.tell({ method: "process/closed", params: { processId, seq: nextSeq - 1 } })
      })
    },
    told: ({ method }, known) => (known.ended && method !== "process/output" ? [] : undefined),
  })),
]
