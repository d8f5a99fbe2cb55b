/** The pid on the wire: `pid` of a start and of its result. */
import * as Schema from "effect/Schema"
import { beyond } from "../../protocol/Fields.ts"
import { U53 } from "../../protocol/Integers.ts"
import { lazy } from "../../protocol/Lazy.ts"
import * as Wire from "../Wire.ts"

/** The wire of the feature. */
export const pid = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `pid` of `process/start` and of its result. */
    processPid: Schema.Boolean,
  },
  startFields: lazy(() => ({
    /** With the capability `processPid`: the result has the pid. The default is false. */
    pid: beyond(Schema.Boolean),
  })),
  startedFields: lazy(() => ({
    /** Of a start with `pid`, and where the spawner tells it: the id of the process on the server's host. */
    pid: Schema.optional(U53),
  })),
})

Wire.document(pid, {
  since: "1.1",
  examples: () => ({ startFields: { pid: true }, startedFields: { pid: 4711 } }),
})
