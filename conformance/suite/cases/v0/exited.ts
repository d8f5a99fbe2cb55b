/** v0: `command/exec/exited`, after which the server has forgotten the process. */
import * as Check from "../../Check.ts"
import * as Gate from "../gate.ts"
import { start, table } from "./process.ts"

export const exited = table("exited", {
  "frees-the-id": {
    says: "After exited the processId can be used again (20 rounds).",
    run: async (t) => {
      const wire = await t.connect()
      for (let round = 0; round < 20; round++) {
        const child = await start(wire, { id: "again", script: `exit ${round}` })
        Check.equal(await child.exited(), round, "the exit code")
      }
    },
  },
  "not-delayed-by-descendants": {
    says:
      "exited is sent while a descendant still holds the output, and the late output of the descendant " +
      "still arrives.",
    run: async (t) => {
      const wire = await t.connect()
      const sh: Gate.Shell = async (script) => {
        Check.equal(await (await start(wire, { script })).exited(), 0, `the exit code of \`${script}\``)
      }
      const gate = await Gate.make(sh)
      const child = await start(wire, { script: `(${gate.wait}; echo late) & exit 7` })
      Check.equal(await child.exited(), 7, "the exit code")
      Check.equal(child.text(), "", "the output at the exit")
      await sh(gate.open)
      await child.says("late")
    },
  },
  "of-a-signal": {
    level: "should",
    says: "A process that dies of a signal has the exit code -1.",
    run: async (t) => {
      const child = await start(await t.connect(), { script: "kill -9 $$" })
      Check.equal(await child.exited(), -1, "the exit code")
    },
  },
})
