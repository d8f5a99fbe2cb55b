/** Marks of shell integration, on the server. */
import type { Feature } from "../Feature.ts"
import * as Late from "../Late.ts"
import type { marks as wire } from "./wire.ts"

const code = Late.make(() => import("./Marks.ts"))

export const marks: Feature<typeof wire> = {
  code,
  announces: () => ({ processMarks: true }),
  extend: (params) =>
    params.marks === true
      ? ({ process }) => {
          const { Marks } = code.get()
          const marks = new Marks(process)
          return {
            events: (events) => marks.around(events),
            own: marks,
            readFields: (after, before) => ({ marks: marks.between(after, before) }),
          }
        }
      : undefined,
}
