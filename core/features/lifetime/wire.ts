/** The time for which a closed process stays, on the wire: `keep` and `autoRemove` of a start, and `kept` in lists. */
import * as Schema from "effect/Schema"
import { beyond } from "../../protocol/Fields.ts"
import { lazy } from "../../protocol/Lazy.ts"
import * as Wire from "../Wire.ts"

/** The wire of the feature. */
export const lifetime = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `autoRemove` of `process/start`. */
    processAutoRemove: Schema.Boolean,
  },
  startFields: lazy(() => ({
    /**
     * With the capability `processControlAll`: the process is kept, also when it has ended, until it is removed, and
     * its session as long. The default is false.
     */
    keep: beyond(Schema.Boolean),
    /**
     * With the capability `processAutoRemove`: the process is removed as soon as it is closed, also one that is kept.
     * Who is attached to it then still gets all of its output. The default is false.
     */
    autoRemove: beyond(Schema.Boolean),
  })),
})

Wire.document(lifetime, {
  since: "1.1",
  adds: { "1.1": { processControlAll: ["WireExecParams.keep"] } },
  examples: () => ({ startFields: { autoRemove: false } }),
})
