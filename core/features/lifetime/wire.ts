/** The time for which a closed process stays, on the wire: `keep` and `autoRemove` of a start, and `kept` in lists. */
import * as Shape from "../../protocol/shape/index.ts"
import * as Wire from "../Wire.ts"

/** The wire of the feature. */
export const lifetime = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `autoRemove` of `process/start`. */
    processAutoRemove: Shape.boolean,
  },
  startFields: {
    /**
     * With the capability `processControlAll`: the process is kept, also when it has ended, until it is removed, and
     * its session as long. The default is false.
     */
    keep: Shape.beyond(Shape.boolean, "processControlAll"),
    /**
     * With the capability `processAutoRemove`: the process is removed as soon as it is closed, also one that is kept.
     * A client that is attached to it then still gets all of its output. The default is false.
     */
    autoRemove: Shape.beyond(Shape.boolean),
  },
})
