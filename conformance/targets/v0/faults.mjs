// @ts-check
/** What can be wrong with a server of v0, one part each: see Parts.mjs. */
import { constants } from "node:os"

/** @type {Record<string, Partial<import("./Parts.mjs").Parts>>} */
export const faults = {
  "version-unnamed": { initialize: () => ({ protocolVersion: "" }) },
  "initialize-needed": { admits: ({ greeted }) => greeted },
  "unknown-method-by-todays-code": {
    unknownMethod: (method) => ({ code: -32601, message: `unknown method: ${method}` }),
  },
  "unknown-notification-ends": { unknownNotification: (_method, { end }) => end() },
  "unknown-notification-ignored": { unknownNotification: () => {} },
  "stray-answer-answered": { stray: ({ id }, { error }) => error(id, -32600, "what?") },
  "stray-answer-ends": { stray: (_message, { end }) => end() },
  "malformed-answered": { malformed: ({ error }) => error(-1, -32600, "what?") },
  "answer-bare": { answer: ({ id }) => ({ processId: id }) },
  "answer-ends-early": {
    answer: ({ id, child }) => ({
      processId: id,
      pid: child.pid,
      running: false,
      exitCode: null,
      stdout: null,
      stderr: null,
    }),
  },
  "answer-late": { answers: (answer) => setTimeout(answer, 400) },
  "pid-of-the-server": {
    answer: ({ id }) => ({
      processId: id,
      pid: process.pid,
      running: true,
      exitCode: null,
      stdout: null,
      stderr: null,
    }),
  },
  "environment-leaks": { environment: (env) => ({ ...process.env, ...env }) },
  "id-shared": { taken: () => false },
  "id-kept-at-exit": { forgetAtExit: () => {} },
  "id-kept-at-terminate": { forgetAtTerminate: () => {} },
  "streams-merged": {
    delta: ({ id }, _stream, bytes) => ({ processId: id, stream: "stdout", chunk: bytes.toString("base64") }),
  },
  "output-cut-at-the-cap": {
    cut: ({ cap = Infinity, told }, bytes) => bytes.subarray(0, Math.max(0, cap - told)),
  },
  "exit-numbered": {
    exited: ({ id }, exitCode, { notify }) =>
      notify("command/exec/exited", { processId: id, exitCode, seq: 1 }),
  },
  "end-told": {
    exited: ({ id }, exitCode, { notify }) => {
      notify("command/exec/exited", { processId: id, exitCode })
      notify("command/exec/closed", { processId: id })
    },
  },
  "exit-waits-for-output": { exitEvent: "close" },
  "signal-code-of-today": {
    exitCode: (code, signal) => code ?? 128 + constants.signals[signal ?? "SIGKILL"],
  },
  "write-refused-in-a-result": { write: () => ({ accepted: false }) },
  "terminate-spares-children": { kill: ({ child }) => child.kill("SIGKILL") },
  "processes-outlive-the-connection": { connectionEnds: () => {} },
}
