/**
 * An extension that a server may announce as `processAutoRemove` in `environmentInfo.capabilities`: a process whose
 * start has `autoRemove` is removed as soon as it is closed.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"

export const processAutoRemove = table("process/auto-remove", {
  "when-it-is-closed": {
    requires: ["process-auto-remove"],
    says:
      "A process whose start has autoRemove can be read while it runs. When process/closed is told, with all output " +
      "before it, its id is unknown (-32600) and can be used again.",
    run: async (t) => {
      const params = { autoRemove: true }
      const child = await Child.start(await t.open(), {
        script: "echo one; read -r line; echo two",
        pipeStdin: true,
        params,
      })
      await child.says("one\n")
      Check.equal((await child.read())["exited"], false, "exited of what runs")
      await child.write("x\n")
      const { exitCode } = await child.ended()
      Check.equal([exitCode, child.text()], [0, "one\ntwo\n"], "the exit code and the output")
      await child.wire.refused("process/read", { processId: child.id }, -32600)
      await child.wire.ok("process/start", Child.params(child.wire, { id: child.id, script: "exit 0" }))
    },
  },
})
