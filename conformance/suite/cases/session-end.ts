/**
 * An extension that a server may announce as `sessionEnd` in `environmentInfo.capabilities`: `session/end` ends the
 * session of its connection at once, instead of when its time to live is over.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import { begin, resumeParams } from "./resuming.ts"

const ends = { requires: ["session-end"] } as const

export const sessionEnd = table("session/end", {
  "ends-session-and-processes": {
    ...ends,
    transports: "sockets",
    requires: ["resume", "session-end"],
    says:
      "session/end kills the processes of the session, is answered with {}, and forgets the session: nobody can " +
      "resume it.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      wire.send({ method: "initialized" })
      const child = await Child.start(wire, { script: "echo pid $$; exec sleep 300" })
      await child.says("\n")
      const [, pid = ""] = /pid (\d+)/.exec(child.text()) ?? []
      Check.equal(await wire.ok("session/end", {}), {}, "the result")
      const other = await t.connect()
      const { error } = await other.begin("initialize", resumeParams(session))
      Check.equal(error?.code, -32600, "the code of a resume of a session that has ended")
      const looker = await Child.start(await t.open(), {
        // What was killed is there until the kernel has come to it, and the server has reaped it.
        script:
          `for try in $(seq 100); do kill -0 ${pid} 2>/dev/null || break; sleep 0.1; done; ` +
          `kill -0 ${pid} 2>/dev/null && echo there || echo none`,
      })
      await looker.says("\n")
      Check.equal(looker.text(), "none\n", "what is left of a process of the session")
    },
  },

  "is-the-last-request": {
    ...ends,
    says: "Behind session/end a connection has no session, and can open none: its requests are refused with -32600.",
    play: async (wire) => {
      await wire.ok("session/end", {})
      await wire.refused("process/list", {}, -32600)
      await wire.refused("initialize", { clientName: "again" }, -32600)
    },
  },
})
