/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

/** The documents of the wire. */
export const about: About = {
  since: "1.1",
  examples: () => ({ rowFields: { held: true } }),
}
