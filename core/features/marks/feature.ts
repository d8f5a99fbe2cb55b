/** Marks of shell integration, on the server. */
import type { Feature } from "../Feature.ts"
import { Marks } from "./Marks.ts"
import type { marks as wire } from "./wire.ts"

export const marks: Feature<typeof wire> = {
  announces: () => ({ processMarks: true }),
  extend: (params) =>
    params.marks === true
      ? ({ process }) => {
          const marks = new Marks(process)
          return {
            events: (events) => marks.around(events),
            own: marks,
            readFields: (after, before) => ({ marks: marks.between(after, before) }),
          }
        }
      : undefined,
}
