/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.1",
  examples: () => {
    const stream = {
      bytes: 6,
      sha256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
      chunks: 1,
      firstSeq: 1,
      lastSeq: 1,
      unreadBytes: 0,
    }
    const receipt = {
      streams: { stdout: stream, stderr: { bytes: 0, chunks: 0, unreadBytes: 0 } },
      endedBy: "exit",
      coreDumped: false,
      oomKilled: false,
      userCpuMicros: 1200,
      systemCpuMicros: 800,
      peakMemory: { bytes: 3_500_000, exact: true },
      startedAtMs: 1_767_225_600_000,
      endedAtMs: 1_767_225_600_125,
    }
    return { startFields: { receipt: true }, closedFields: { receipt } }
  },
}
