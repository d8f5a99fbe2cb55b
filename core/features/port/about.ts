/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

/** The documents of the wire. */
export const about: About = {
  since: "1.1",
  examples: () => ({
    "process/port": {
      params: [{ processId: "p1", port: 5173 }],
      result: [{ host: "127.0.0.1", port: 41_237 }],
    },
  }),
}
