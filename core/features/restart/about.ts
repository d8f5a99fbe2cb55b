/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.1",
  examples: () => ({
    startFields: { restart: { policy: "onFailure", most: 5 } },
    "process/restart": { params: [{ processId: "p1", signal: "SIGTERM", graceMs: 1000 }], result: [{}] },
  }),
}
