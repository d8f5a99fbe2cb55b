// @ts-check
// Servers that are wrong in takeovers.
import { fault, less, resume } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */

/** The code of requests whose session was taken. */
const taken = -32012

/** @type {readonly WireFault[]} */
export const broken = [
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
]
