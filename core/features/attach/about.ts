/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.1",
  adds: {
    "1.1": {
      processAttach: ["ProcessGapNotification.screen", "TerminateParams.remove", "ListedProcess.kept"],
    },
  },
  examples: () => {
    const sessionId = "0b8f1c9e-6f2a-4c57-9d1e-3a5b7c9d1e2f"
    const process = {
      processId: "build",
      session: 1,
      attached: true,
      labels: { branch: "main" },
      argv: ["make", "test"],
      cwd: "file:///srv/app",
      pid: 4711,
      tty: true,
      startedAtMs: 1_767_225_600_000,
      state: "running",
      exitCode: null,
      bytes: 6,
      nextSeq: 2,
    }
    return {
      "process/attach": {
        params: [
          {
            name: "build",
            session: 1,
            as: "view",
            afterSeq: 0,
            role: "viewer",
            policy: "skip",
            credit: 65_536,
          },
          { processId: "build", sessionId, role: "writer", take: true },
        ],
        result: [{ processId: "view", process, firstSeq: 1, writer: false }],
      },
      "process/detach": { params: [{ processId: "view" }], result: [{}] },
      "process/gap": { params: [{ processId: "view", from: 3, to: 9 }] },
      "process/writer": { params: [{ processId: "view", writer: true }] },
      "process/detached": { params: [{ processId: "view", reason: "removed" }] },
    }
  },
}
