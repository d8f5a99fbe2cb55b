/** Deadlines, on the server: a start names its times and its grace, and may ask for the cause of the end. */
import * as Grace from "../../process/Grace.ts"
import type { Feature } from "../Feature.ts"
import { Deadline } from "./Deadline.ts"
import type { deadline as wire } from "./wire.ts"

export const deadline: Feature<typeof wire> = {
  announces: ({ host }) => ({ processDeadlines: host.platform !== "windows" }),
  fault: ({ timeoutMs, idleTimeoutMs, killGraceMs }) =>
    Grace.faultOf("timeoutMs", timeoutMs, 1) ??
    Grace.faultOf("idleTimeoutMs", idleTimeoutMs, 1) ??
    Grace.faultOf("killGraceMs", killGraceMs, 0),
  extend: (params, { host }) => {
    const { timeoutMs, idleTimeoutMs, killGraceMs, signalOnTimeout } = params
    const isTimed = timeoutMs != null || idleTimeoutMs != null
    const tellsCause = params.ending ?? isTimed
    if (!isTimed && !tellsCause && killGraceMs == null && signalOnTimeout == null) return undefined
    return ({ process, facts }, { clock }) => {
      process.cause.told = tellsCause
      process.grace = { ...process.grace, ...Grace.fromParams(signalOnTimeout, killGraceMs, host.platform) }
      if (!isTimed) return undefined
      // Less than all of it for a child that another server has started.
      const passed = clock.currentTimeMillisUnsafe() - facts.startedAtMs
      const timeoutMillis = timeoutMs == null ? undefined : Math.max(0, timeoutMs - passed)
      const times = { timeoutMillis, idleMillis: idleTimeoutMs ?? undefined }
      const deadline = new Deadline(process, times, clock)
      return { events: (events) => deadline.around(events), run: deadline.run() }
    }
  },
}
