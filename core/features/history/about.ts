/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.1",
  adds: {
    "1.1": {
      outputHistory: [
        "ReadResponse.more",
        "HistoryParams.times",
        "HistoryResponse.times",
        "HistoryResponse.sizes",
        "HistoryResponse.lost",
        "GrepResponse.lost",
      ],
    },
  },
  examples: () => {
    const chunk = { seq: 1, stream: "stdout", chunk: "aGVsbG8K" }
    return {
      startFields: { history: { maxBytes: 1_048_576 } },
      "process/history": {
        params: [
          {
            processId: "p1",
            from: { line: 1 },
            to: { time: 1_767_225_600_000 },
            maxBytes: 65_536,
            times: true,
          },
        ],
        result: [
          {
            chunks: [chunk],
            times: [1_767_225_600_000],
            sizes: [{ afterSeq: 0, rows: 24, columns: 80 }],
            byte: 0,
            line: 1,
            nextByte: 6,
            eof: true,
            closed: true,
            ended: { reason: "full", byte: 6, message: "no space left on device" },
          },
          {
            chunks: [chunk],
            byte: 1_048_576,
            line: 20_001,
            nextByte: 1_048_582,
            eof: true,
            closed: false,
            lost: { bytes: 1_048_576, message: "no space left on device" },
          },
        ],
      },
      "process/grep": {
        params: [
          {
            processId: "p1",
            pattern: "error",
            flags: "i",
            from: { byte: 0 },
            to: { seq: 9 },
            before: 1,
            after: 1,
          },
        ],
        result: [
          {
            matches: [
              { line: 3, byte: 42, seq: 2, text: "error: no rule", before: ["make test"], after: [] },
            ],
            complete: true,
            nextByte: 57,
            closed: false,
          },
        ],
      },
    }
  },
}
