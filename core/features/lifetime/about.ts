/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.1",
  adds: { "1.1": { processControlAll: ["WireExecParams.keep"] } },
  examples: () => ({ startFields: { autoRemove: false } }),
}
