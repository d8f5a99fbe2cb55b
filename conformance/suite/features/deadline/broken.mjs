// @ts-check
// Servers that are wrong in deadlines and graces.
import { event, fault, less, longest, params } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */

/** @type {readonly WireFault[]} */
export const broken = [
  fault`grace-ignored: A terminate with a grace kills at once.
    process/terminate/grace-asks-first`.params("process/terminate", (asked) =>
    less(asked, "graceMs", "signal"),
  ),
  fault`signal-numbers-refused: A signal that is a number is an interrupt.
    process/signal/any-name-or-number`.params("process/signal", (asked) =>
    typeof asked.signal === "number" ? { ...asked, signal: "interrupt" } : asked,
  ),
  fault`deadline-ignored: A deadline that has passed ends nothing.
    process/deadlines/timeout-ends-the-process`.params("process/start", (asked) =>
    less(asked, "timeoutMs", "idleTimeoutMs"),
  ),
  fault`deadline-of-the-connection: A deadline that passes while no client is attached ends nothing.
    process/deadlines/goes-on-without-a-client`.by((c) => ({
    ...params("process/start", ({ timeoutMs, ...asked }) => {
      const { processId } = asked
      const end = () =>
        c.server.connections.has(c) && c.ask("process/terminate", { processId, signal: "SIGTERM" })
      if (timeoutMs != null) setTimeout(end, timeoutMs)
      return timeoutMs == null ? asked : { ...asked, ending: true }
    }),
    ...event("process/exited", (told) =>
      told.endedBy === "terminate" ? { ...told, endedBy: "timeout" } : told,
    ),
  })),
  fault`deadline-without-a-kill: What is left after a grace is not killed.
    process/deadlines/grace-ends-in-a-kill`.params("process/start", (asked) =>
    asked.timeoutMs === undefined ? asked : { ...asked, killGraceMs: longest },
  ),
  fault`ending-unasked: Every exit tells what has ended the process.
    process/deadlines/ending-only-when-asked`.params("process/start", (asked) => ({
    ...asked,
    ending: true,
  })),
  fault`silence-from-the-start: The time of silence is not begun anew by output.
    process/deadlines/silence-counts-from-the-last-output`.by({
    ...params("process/start", ({ idleTimeoutMs, ...asked }) =>
      idleTimeoutMs == null ? asked : { ...asked, timeoutMs: idleTimeoutMs },
    ),
    ...event("process/exited", (told) =>
      told.endedBy === "timeout" ? { ...told, endedBy: "idleTimeout" } : told,
    ),
  }),
]
