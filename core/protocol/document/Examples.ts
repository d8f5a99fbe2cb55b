/**
 * Examples of params and results of every method, from which those of every type are taken. A test decodes them all.
 */
import { type Example, fileExamples } from "./FileExamples.ts"
import { processExamples } from "./ProcessExamples.ts"
import { screenExamples } from "./ScreenWords.ts"

const sessionId = "0b8f1c9e-6f2a-4c57-9d1e-3a5b7c9d1e2f"
const capabilities = { fsWatchMissing: true, processResize: true, sessionReplay: true, processWait: true }
const environmentInfo = {
  shell: { name: "bash", path: "/bin/bash" },
  executorVersion: "0.171.0",
  providerId: null,
  cwd: "file:///srv/app",
  userHomeDir: "file:///home/ann",
  platformOs: "linux",
  prependPathDirs: [],
  temporaryDirectories: ["file:///tmp"],
  tempDir: "file:///tmp",
  capabilities,
}

/** Examples of the current wire, by method. */
export const examples: { readonly [method: string]: Example } = {
  initialize: {
    params: [
      { clientName: "my-client" },
      {
        clientName: "my-client",
        resumeSessionId: sessionId,
        replayAfter: { p1: 3 },
        credit: { p1: 65_536 },
        takeover: false,
      },
    ],
    result: [{ sessionId, environmentInfo }],
  },
  "environment/info": { params: [{}], result: [environmentInfo] },
  "environment/status": { params: [{}], result: [{ status: "ready" }] },
  "session/list": {
    params: [{ sessions: "own", limit: 100 }],
    result: [
      {
        sessions: [{ session: 1, own: true, attached: true, openedAtMs: 1_767_225_600_000, processes: 2 }],
        nextCursor: null,
      },
    ],
  },
  "session/end": { params: [{}], result: [{}] },
  "session/taken": { params: [{ sessionId }] },
  "request/cancel": { params: [{ id: 7 }] },
  ...processExamples,
  ...fileExamples,
  ...screenExamples,
}

/** Examples of the first wire, v0, by method. */
export const examplesOfV0: { readonly [method: string]: Example } = {
  initialize: { params: [{ clientName: "my-client" }], result: [{ protocolVersion: "exec-server.v0" }] },
  "command/exec": {
    params: [
      {
        processId: "p1",
        argv: ["echo", "hello"],
        cwd: "/srv/app",
        env: {},
        tty: false,
        outputBytesCap: 65_536,
      },
    ],
    result: [{ processId: "p1", pid: 4711, running: true, exitCode: null, stdout: null, stderr: null }],
  },
  "command/exec/write": { params: [{ processId: "p1", chunk: "eWVzCg==" }], result: [{ accepted: true }] },
  "command/exec/terminate": { params: [{ processId: "p1" }], result: [{ running: true }] },
  "command/exec/outputDelta": { params: [{ processId: "p1", stream: "stdout", chunk: "aGVsbG8K" }] },
  "command/exec/exited": { params: [{ processId: "p1", exitCode: 0 }] },
}
