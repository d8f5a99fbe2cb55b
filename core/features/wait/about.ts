/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.1",
  adds: {
    "1.1": {
      processWaitPort: ["WaitCondition.port", "WaitCondition.host"],
      processWaitInput: ["WaitCondition.input"],
    },
  },
  examples: () => {
    const chunk = { seq: 1, stream: "stdout", chunk: "aGVsbG8K" }
    return {
      "process/wait": {
        params: [
          {
            processId: "p1",
            afterSeq: 0,
            until: [
              { pattern: "^ready", stream: "stdout", flags: "m" },
              { port: 8080, host: "localhost" },
              { idleMs: 2000 },
              { bytes: 1000 },
              { input: true },
              { closed: true },
              { exit: true },
            ],
            timeoutMs: 30_000,
            maxBytes: 65_536,
          },
        ],
        result: [
          {
            met: 0,
            evidence: {
              match: {
                stream: "stdout",
                from: { seq: 1, offset: 0 },
                to: { seq: 1, offset: 5 },
                text: "ready",
              },
            },
            nextSeq: 2,
            exited: false,
            exitCode: null,
            closed: false,
            head: [chunk],
            tail: [],
            omittedBytes: 0,
            gap: { from: 1, to: 1 },
            unknown: [{ index: 4, why: "the server cannot tell who waits for input" }],
          },
          {
            met: 1,
            evidence: {
              exitCode: 0,
              idleMs: 2000,
              bytes: 1000,
              port: { port: 8080, host: "127.0.0.1", pid: 4711 },
              input: { pid: 4711, from: "terminal", echo: false, line: true, secret: true },
            },
            nextSeq: 1,
            exited: false,
            exitCode: null,
            closed: false,
            head: [],
            tail: [],
            omittedBytes: 0,
          },
        ],
      },
    }
  },
}
