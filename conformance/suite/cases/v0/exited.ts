/** v0: `command/exec/exited`, behind which the server knows nothing of the process. */
import * as Check from "../../Check.ts"
import { start, table } from "./process.ts"

export const exited = table("exited", {
  "frees-the-id": {
    level: "must",
    spec: [],
    says: "Whoever is told of the exit may use the processId again (20 rounds).",
    run: async (t) => {
      const wire = await t.connect()
      for (let round = 0; round < 20; round++) {
        const child = await start(wire, { id: "again", script: `exit ${round}` })
        Check.equal(await child.exited(), round, "the exit code")
      }
    },
  },
  "not-delayed-by-descendants": {
    level: "must",
    spec: [],
    says: "The exit is told although a descendant holds the output, whose late output still comes.",
    run: async (t) => {
      const child = await start(await t.connect(), { script: "(sleep 0.5; echo late) & exit 7" })
      Check.equal(await child.exited(), 7, "the exit code")
      Check.equal(child.text(), "", "the output at the exit")
      await child.says("late")
    },
  },
  "of-a-signal": {
    level: "should",
    spec: [],
    says: "Death by a signal is the exit code -1.",
    run: async (t) => {
      const child = await start(await t.connect(), { script: "kill -9 $$" })
      Check.equal(await child.exited(), -1, "the exit code")
    },
  },
})
