/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.1",
  examples: () => {
    const mark = { seq: 4, kind: "commandEnd", exitCode: 0, cwd: "/srv/app" }
    return {
      startFields: { marks: true },
      readFields: { marks: [mark] },
      "process/mark": { params: [{ processId: "p1", ...mark }] },
    }
  },
}
