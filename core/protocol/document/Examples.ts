/**
 * Examples of params and results of every method, from which those of every type are taken. A test decodes them all.
 * Those of features are beside their wires.
 */
import { aboutOf } from "../../features/Abouts.ts"
import { type Example, wires } from "../../features/Wires.ts"

type Examples = { readonly [method: string]: Example }

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

const chunk = { seq: 1, stream: "stdout", chunk: "aGVsbG8K" }
const ends = { endedBy: "timeout", signal: 15, limit: "mem", oomKilled: false }
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

const processExamples: Examples = {
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
        name: "build",
        labels: { branch: "main" },
      },
    ],
    result: [{ processId: "p1", sandboxType: "none" }],
  },
  "process/read": {
    params: [{ processId: "p1", afterSeq: 0, maxBytes: 65_536, waitMs: 1000 }],
    result: [{ ...read, sandboxDenied: false, more: false }],
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
  "process/resize": { params: [{ processId: "p1", rows: 50, columns: 132 }], result: [{}] },
  "process/closeStdin": { params: [{ processId: "p1" }], result: [{}] },
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
  "process/output": { params: [{ processId: "p1", ...chunk }] },
  "process/exited": { params: [{ processId: "p1", seq: 2, exitCode: 143, sandboxDenied: false, ...ends }] },
  "process/closed": { params: [{ processId: "p1", seq: 3 }] },
}

const bases: Examples = {
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
}

/** The messages that have the fields of a part of a wire. Lists have them in their rows. */
const places: { readonly [part: string]: ReadonlyArray<readonly [method: string, of: keyof Example]> } = {
  startFields: [["process/start", "params"]],
  startedFields: [["process/start", "result"]],
  readFields: [["process/read", "result"]],
  closedFields: [
    ["process/closed", "params"],
    ["process/read", "result"],
  ],
  rowFields: [["process/list", "result"]],
}

/** An example whose last message has these fields, too. */
const withFields = (example: Example, of: keyof Example, fields: object): Example => {
  const messages = example[of] ?? []
  const last = messages.at(-1) as { readonly processes?: ReadonlyArray<object> } | undefined
  const rows = last?.processes?.map((row) => ({ ...row, ...fields }))
  const changed = { ...last, ...(rows === undefined ? fields : { processes: rows }) }
  return { ...example, [of]: [...messages.slice(0, -1), changed] }
}

/** Examples of the current wire, by method. */
export const examples: Examples = wires.reduce((known: Examples, wire) => {
  const made: Record<string, Example> = { ...known }
  for (const [name, example] of Object.entries(aboutOf(wire).examples())) {
    const at = places[name]
    if (at === undefined) made[name] = example
    else for (const [method, of] of at) made[method] = withFields(made[method] ?? {}, of, example)
  }
  return made
}, bases)

/** Examples of the first wire, v0, by method. */
export const examplesOfV0: Examples = {
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
