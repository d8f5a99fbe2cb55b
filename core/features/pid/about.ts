/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.1",
  examples: () => ({ startFields: { pid: true }, startedFields: { pid: 4711 } }),
}
