/** Kept children on the wire: `held` in lists. */
import * as Shape from "../../protocol/shape/index.ts"
import * as Wire from "../Wire.ts"

/** The wire of the feature. */
export const keep = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: sessions and processes outlive the server, and the next one has them. */
    processKeep: Shape.boolean,
  },
  rowFields: {
    /** True for a process that outlives its server; absent otherwise. */
    held: Shape.optional(Shape.boolean),
  },
})
