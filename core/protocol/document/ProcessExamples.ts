/** Examples of the methods for processes. */
import type { Example } from "./FileExamples.ts"

const chunk = { seq: 1, stream: "stdout", chunk: "aGVsbG8K" }
const mark = { seq: 4, kind: "commandEnd", exitCode: 0, cwd: "/srv/app" }
const ends = { endedBy: "timeout", signal: 15, limit: "mem", oomKilled: false }
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

const listed = {
  processId: "build",
  session: 1,
  attached: true,
  name: "build",
  labels: { branch: "main" },
  argv: ["make", "test"],
  cwd: "file:///srv/app",
  pid: 4711,
  tty: true,
  terminalSize: { rows: 24, columns: 80 },
  startedAtMs: 1_767_225_600_000,
  state: "running",
  exitCode: null,
  bytes: 6,
  nextSeq: 2,
}

const end = { endedAtMs: 1_767_225_600_125, state: "closed", exitCode: 143, nextSeq: 4 }

const read = {
  ...ends,
  chunks: [chunk],
  nextSeq: 4,
  exited: true,
  exitCode: 143,
  closed: true,
  failure: null,
}

/** Examples, by method. */
export const processExamples: { readonly [method: string]: Example } = {
  "process/start": {
    params: [
      { processId: "p1", argv: ["echo", "hello"], cwd: "file:///srv/app", env: { LANG: "C" }, tty: false },
      {
        processId: "build",
        metadata: { threadId: "0b8f1c9e-6f2a-4c57-9d1e-3a5b7c9d1e2f", toolCallId: "call-1" },
        argv: ["make", "test"],
        cwd: "file:///srv/app",
        envPolicy: {
          inherit: "core",
          ignoreDefaultExcludes: false,
          exclude: ["*_TOKEN"],
          set: { CI: "1" },
          includeOnly: [],
        },
        env: {},
        tty: true,
        pipeStdin: false,
        arg0: null,
        shellSnapshot: { scopeId: "s", shell: { name: "bash", path: "/bin/bash" } },
        enforceManagedNetwork: false,
        managedNetwork: { transparentTcp: false, loopbackPorts: [8080], allowLocalBinding: false },
        networkProxy: { proxy: { transparentTcp: false } },
        terminalSize: { rows: 24, columns: 80 },
        credit: 65_536,
        receipt: true,
        history: { maxBytes: 1_048_576 },
        timeoutMs: 60_000,
        idleTimeoutMs: 10_000,
        killGraceMs: 5000,
        signalOnTimeout: "terminate",
        ending: true,
        name: "build",
        labels: { branch: "main" },
        marks: true,
        answers: false,
        pid: true,
        restart: { policy: "onFailure", most: 5 },
        autoRemove: false,
      },
    ],
    result: [{ processId: "p1", sandboxType: "none", pid: 4711 }],
  },
  "process/read": {
    params: [{ processId: "p1", afterSeq: 0, maxBytes: 65_536, waitMs: 1000 }],
    result: [{ ...read, sandboxDenied: false, more: false, receipt, marks: [mark] }],
  },
  "process/write": {
    params: [{ processId: "p1", chunk: "eWVzCg==", writeId: "w1" }],
    result: [{ status: "accepted" }],
  },
  "process/signal": { params: [{ processId: "p1", signal: "interrupt" }], result: [{}] },
  "process/terminate": {
    params: [{ processId: "p1" }, { processId: "p1", signal: "SIGUSR1", graceMs: 1000, remove: false }],
    result: [{ running: true }],
  },
  "process/restart": { params: [{ processId: "p1", signal: "SIGTERM", graceMs: 1000 }], result: [{}] },
  "process/resize": { params: [{ processId: "p1", rows: 50, columns: 132 }], result: [{}] },
  "process/closeStdin": { params: [{ processId: "p1" }], result: [{}] },
  "process/credit": { params: [{ processId: "p1", bytes: 65_536 }], result: [{}] },
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
          match: { stream: "stdout", from: { seq: 1, offset: 0 }, to: { seq: 1, offset: 5 }, text: "ready" },
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
  "process/history": {
    params: [
      { processId: "p1", from: { line: 1 }, to: { time: 1_767_225_600_000 }, maxBytes: 65_536, times: true },
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
        matches: [{ line: 3, byte: 42, seq: 2, text: "error: no rule", before: ["make test"], after: [] }],
        complete: true,
        nextByte: 57,
        closed: false,
      },
    ],
  },
  "process/list": {
    params: [{ sessions: "own", limit: 100, name: "build", labels: { branch: "main" }, states: ["running"] }],
    result: [
      {
        processes: [listed, { ...listed, ...end }],
        nextCursor: null,
      },
    ],
  },
  "process/changes": {
    params: [{ sessions: "own", afterSeq: 7, waitMs: 30_000 }, {}],
    result: [
      {
        changes: [
          { seq: 8, kind: "started", atMs: 1_767_225_600_000, process: listed },
          { seq: 9, kind: "exited", atMs: 1_767_225_600_125, process: { ...listed, ...end } },
        ],
        nextSeq: 10,
      },
      { changes: [], nextSeq: 5000, missed: true },
    ],
  },
  "process/attach": {
    params: [
      { name: "build", session: 1, as: "view", afterSeq: 0, role: "viewer", policy: "skip", credit: 65_536 },
      { processId: "build", sessionId: "0b8f1c9e-6f2a-4c57-9d1e-3a5b7c9d1e2f", role: "writer", take: true },
    ],
    result: [{ processId: "view", process: listed, firstSeq: 1, writer: false }],
  },
  "process/detach": { params: [{ processId: "view" }], result: [{}] },
  "process/gap": { params: [{ processId: "view", from: 3, to: 9 }] },
  "process/writer": { params: [{ processId: "view", writer: true }] },
  "process/detached": { params: [{ processId: "view", reason: "removed" }] },
  "process/output": { params: [{ processId: "p1", ...chunk }] },
  "process/mark": { params: [{ processId: "p1", ...mark }] },
  "process/exited": { params: [{ processId: "p1", seq: 2, exitCode: 143, sandboxDenied: false, ...ends }] },
  "process/closed": { params: [{ processId: "p1", seq: 3, receipt }] },
}
