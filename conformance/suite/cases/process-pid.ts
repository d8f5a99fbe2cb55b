/**
 * An extension that a server may announce as `processPid` in `environmentInfo.capabilities`: the result of a start with
 * `pid` has the pid of the process.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import type { JsonObject } from "../Json.ts"
import type { Wire } from "../wire/Wire.ts"

const started = async (wire: Wire, id: string, script: string, params: JsonObject): Promise<JsonObject> =>
  wire.ok("process/start", Child.params(wire, { id, script, pipeStdin: true, params }))

export const processPid = table("process/pid", {
  "is-that-of-the-list": {
    requires: ["process-pid", "process-list"],
    says: "The result of a start with pid: true has the pid that process/list shows, or none where that shows null.",
    play: async (wire) => {
      const results = [await started(wire, "one", "read -r line", { pid: true })]
      results.push(await started(wire, "two", "read -r line", { pid: true }))
      const { processes } = await wire.ok("process/list", {})
      for (const row of Check.list(processes, "processes").map((one) => Check.object(one, "a row"))) {
        const result = results.find(({ processId }) => processId === row["processId"])
        Check.equal(result?.["pid"] ?? null, row["pid"] ?? null, `the pid of ${String(row["processId"])}`)
      }
    },
  },
  "only-when-asked": {
    requires: ["process-pid"],
    says: "The result of a start without pid, or with null or false, has none.",
    play: async (wire) => {
      for (const [index, asked] of [{}, { pid: null }, { pid: false }].entries()) {
        const result = await started(wire, `p${index}`, "exit 0", asked)
        Check.equal("pid" in result, false, "whether the result has a pid")
      }
    },
  },
})
