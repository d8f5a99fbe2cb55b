/** The messages of the played server, in the words of each wire. */
import type { Dialect } from "../suite/Dialect.ts"
import type { Json, JsonObject } from "../suite/Json.ts"
import type { LogEvent, Scenario } from "./Scenario.ts"

export type Answer = { readonly result: Json } | { readonly error: JsonObject }

export type Operation = "initialize" | "start" | "read" | "write" | "other" | "unknown"

const operations: { readonly [dialect in Dialect]: { readonly [method: string]: Operation } } = {
  current: {
    initialize: "initialize",
    "environment/info": "other",
    "environment/status": "other",
    "process/start": "start",
    "process/read": "read",
    "process/write": "write",
    "process/signal": "other",
    "process/terminate": "other",
    "process/resize": "other",
    "process/closeStdin": "other",
    "process/credit": "other",
  },
  v0: {
    initialize: "initialize",
    "command/exec": "start",
    "command/exec/write": "write",
    "command/exec/terminate": "other",
  },
}

export const operationOf = (dialect: Dialect, method: string): Operation =>
  Object.hasOwn(operations[dialect], method) ? (operations[dialect][method] ?? "unknown") : "unknown"

export const error = (message: string, code = -32_600): Answer => ({ error: { code, message } })

/** The answers that need nothing to be known. */
export const plain = (method: string): Answer => ({ result: plainResults[method] ?? {} })
const plainResults: { readonly [method: string]: Json } = {
  "environment/info": { shell: { name: "sh", path: "/bin/sh" } },
  "environment/status": { status: "ready" },
  "process/terminate": { running: true },
  "command/exec/terminate": { running: true },
}

export const welcome = ({ capabilities, dialect }: Scenario, sessionId: string): Answer => {
  if (dialect === "v0") return { result: { protocolVersion: "exec-server.v0" } }
  const shell = { name: "sh", path: "/bin/sh" }
  const told = Object.fromEntries(capabilities.map((name) => [name, true]))
  const environmentInfo = { shell, cwd: "file:///srv", platformOs: "linux", capabilities: told }
  return { result: { sessionId, environmentInfo } }
}

export const started = (dialect: Dialect, processId: string): Answer => ({
  result:
    dialect === "v0"
      ? { processId, pid: 4711, running: true, exitCode: null, stdout: null, stderr: null }
      : { processId, sandboxType: "none" },
})

export const written = (dialect: Dialect): Answer => ({
  result: dialect === "v0" ? { accepted: true } : { status: "accepted" },
})

const base64 = (text: string) => Buffer.from(text).toString("base64")

/** The stream and the bytes of output; undefined for another event. */
const outputOf = (event: LogEvent): { readonly stream: string; readonly chunk: string } | undefined => {
  if ("stdout" in event) return { stream: "stdout", chunk: base64(event.stdout) }
  if ("stdoutBase64" in event) return { stream: "stdout", chunk: event.stdoutBase64 }
  return "stderr" in event ? { stream: "stderr", chunk: base64(event.stderr) } : undefined
}

/** The notification of an event; undefined if the dialect has none. */
export const event = (
  dialect: Dialect,
  processId: string,
  seq: number,
  event: LogEvent,
): JsonObject | undefined => {
  const output = outputOf(event)
  const place = dialect === "v0" ? { processId } : { processId, seq }
  const method = (current: string, v0: string) => (dialect === "v0" ? v0 : current)
  if (output !== undefined)
    return { method: method("process/output", "command/exec/outputDelta"), params: { ...place, ...output } }
  if ("exited" in event) {
    const more = dialect === "v0" ? {} : { sandboxDenied: false }
    const params = { ...place, exitCode: event.exited, ...more }
    return { method: method("process/exited", "command/exec/exited"), params }
  }
  return dialect === "v0" ? undefined : { method: "process/closed", params: place }
}

const whole = (value: Json | undefined): number | undefined => (typeof value === "number" ? value : undefined)

/** The answer to a read of what has happened; undefined while a long poll has to wait. */
export const read = ({ log }: Scenario, happened: number, params: JsonObject): Answer | undefined => {
  const after = whole(params["afterSeq"]) ?? 0
  const past = log.slice(0, happened)
  const events = past.map((event, index) => ({ seq: index + 1, event }))
  const closed = events.some(({ event }) => "closed" in event)
  if (happened <= after && !closed && (whole(params["waitMs"]) ?? 0) > 0) return undefined
  const exited = past.find((event) => "exited" in event)
  let room = whole(params["maxBytes"]) ?? Number.POSITIVE_INFINITY
  const chunks: Array<JsonObject> = []
  for (const { seq, event } of events) {
    const output = outputOf(event)
    if (seq <= after || output === undefined) continue
    const bytes = Buffer.from(output.chunk, "base64").length
    if (chunks.length > 0 && bytes > room) break
    room -= bytes
    chunks.push({ seq, ...output })
  }
  const exitCode = exited !== undefined && "exited" in exited ? exited.exited : null
  return {
    result: {
      chunks,
      nextSeq: happened + 1,
      exited: exited !== undefined,
      exitCode,
      closed,
      failure: null,
      sandboxDenied: false,
    },
  }
}

const later = { later: true, laterStill: { nested: [1, null, "x"] } }

/** The message with members that no version of the wire has, also in its params, its result and its error. */
export const withUnknown = (message: JsonObject): JsonObject =>
  Object.fromEntries([
    ...Object.entries(message).map(([name, value]) => [
      name,
      typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value, ...later } : value,
    ]),
    ...Object.entries(later),
  ])
