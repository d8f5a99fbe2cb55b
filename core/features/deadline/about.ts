/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.1",
  adds: {
    "1.1": {
      processDeadlines: [
        "TerminateParams.signal",
        "TerminateParams.graceMs",
        "ReadResponse.endedBy",
        "ReadResponse.signal",
        "ExecExitedNotification.endedBy",
        "ExecExitedNotification.signal",
      ],
    },
  },
  examples: () => ({
    startFields: {
      timeoutMs: 60_000,
      idleTimeoutMs: 10_000,
      killGraceMs: 5000,
      signalOnTimeout: "terminate",
      ending: true,
    },
  }),
}
