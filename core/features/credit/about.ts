/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.1",
  adds: { "1.1": { processCredit: ["InitializeParams.credit"] } },
  examples: () => ({
    startFields: { credit: 65_536 },
    "process/credit": { params: [{ processId: "p1", bytes: 65_536 }], result: [{}] },
  }),
}
