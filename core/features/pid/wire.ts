/** The pid on the wire: `pid` of a start and of its result. */
import * as Shape from "../../protocol/shape/index.ts"
import { U53 } from "../../protocol/Integers.ts"
import * as Wire from "../Wire.ts"

/** The wire of the feature. */
export const pid = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `pid` of `process/start` and of its result. */
    processPid: Shape.boolean,
  },
  startFields: {
    /** With the capability `processPid`: the result has the pid. The default is false. */
    pid: Shape.beyond(Shape.boolean),
  },
  startedFields: {
    /** Of a start with `pid`, and where the spawner tells it: the id of the process on the server's host. */
    pid: Shape.optional(U53),
  },
})
