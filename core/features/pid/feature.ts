/** The pid, on the server. */
import type { Feature } from "../Feature.ts"
import type { pid as wire } from "./wire.ts"

export const pid: Feature<typeof wire> = {
  announces: () => ({ processPid: true }),
  extend: (params) =>
    params.pid === true
      ? ({ process }) => ({ startedFields: () => ({ pid: process.child?.pid }) })
      : undefined,
}
