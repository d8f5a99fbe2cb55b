/** v0: `command/exec/terminate` kills a process and forgets it; so does the end of the connection. */
import * as Check from "../../Check.ts"
import { awaitDeath } from "../../wire/ProcessTree.ts"
import { start, table, terminate as end } from "./process.ts"

export const terminate = table("terminate", {
  "second-is-not-running": {
    says: "terminate returns running true; a second one, sent without waiting, returns running false.",
    run: async (t) => {
      const wire = await t.connect()
      const child = await start(wire, { script: "trap '' TERM INT HUP; echo ready; sleep 60; :" })
      await child.says("ready")
      const params = { processId: child.id }
      const first = wire.begin("command/exec/terminate", params)
      const second = wire.begin("command/exec/terminate", params)
      Check.equal((await first).result, { running: true }, "the first result")
      Check.equal((await second).result, { running: false }, "the second result")
      Check.isTrue((await child.exited()) !== 0, "the exit code is 0")
    },
  },
  "unknown-is-not-running": {
    says: "terminate of a process that is unknown or has exited returns running false.",
    run: async (t) => {
      const wire = await t.connect()
      Check.equal(await end(wire, "nope"), false, "running of an unknown process")
      const child = await start(wire)
      await child.exited()
      Check.equal(await child.terminate(), false, "running of an exited process")
    },
  },
  "frees-the-id": {
    says: "The processId of a terminated process is free at once.",
    run: async (t) => {
      const wire = await t.connect()
      const first = await start(wire, { id: "again", script: "sleep 60" })
      await first.terminate()
      await first.exited()
      const second = await start(wire, { id: "again", script: "echo second; exit 4" })
      await second.says("second")
      Check.equal(await second.exited(), 4, "the exit code of the second")
    },
  },
  "kills-the-group": {
    requires: ["process-group"],
    server: "owned",
    says: "terminate also kills the background children in the process group.",
    run: async (t) => {
      const child = await start(await t.connect(), { script: "sleep 60 & echo pid $!.; wait" })
      await child.says(".")
      await child.terminate()
      await awaitDeath([Number(/pid (\d+)\./.exec(child.text())?.[1])], t.timeoutMs)
    },
  },
  "connection-end-kills": {
    server: "owned",
    says: "The end of the connection kills its processes at once: v0 has no sessions to resume.",
    run: async (t) => {
      const wire = await t.connect()
      const child = await start(wire, { script: "echo pid $$.; sleep 60; :" })
      await child.says(".")
      wire.channel.close()
      await awaitDeath([Number(/pid (\d+)\./.exec(child.text())?.[1])], t.timeoutMs)
    },
  },
})
