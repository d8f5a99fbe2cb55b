/**
 * The first version of the wire, v0 (March 2026): `command/exec` and its companions, on a connection that is its own
 * session.
 *
 * It needs no handshake and nothing outlives the connection. A process is forgotten when it exits or is terminated, so
 * that its id is free again. Output has no seq, and its end is not reported. `outputBytesCap` bounds the retained
 * output of a process, not the output that is sent.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Base64 } from "../Base64.ts"
import * as ErrorCode from "../ErrorCode.ts"
import * as ErrorText from "../ErrorText.ts"
import { I32, U64 } from "../Integers.ts"
import { notificationText } from "../Message.ts"
import type { RequestMethod } from "../Methods.ts"
import * as OutputText from "../OutputText.ts"
import { constant, type Dialect, type Event, operation } from "./Dialect.ts"
import { struct } from "../Lazy.ts"

/** The version that `initialize` reports. */
export const protocolVersion = "exec-server.v0"

/** `outputBytesCap` of a request that names none, as in the peer implementation: 1 MiB. */
export const defaultOutputBytesCap = 1024 * 1024

/** `cwd` is an absolute native path, `env` the whole environment. Only a process with a PTY has a stdin. */
export const ExecParams = struct("ExecParams", () => ({
  processId: Schema.String,
  /** The program and its arguments. */
  argv: Schema.Array(Schema.String),
  /** The working directory, an absolute native path. */
  cwd: Schema.String,
  /** The whole environment. */
  env: Schema.Record({ key: Schema.String, value: Schema.String }),
  /** Whether the process gets a PTY, and with it a stdin. */
  tty: Schema.Boolean,
  /** The most bytes of output to retain. */
  outputBytesCap: Schema.optionalWith(U64, { default: () => defaultOutputBytesCap }),
  /** The `argv[0]` that the process sees. */
  arg0: Schema.optional(Schema.NullOr(Schema.String)),
}))

/** `exitCode`, `stdout` and `stderr` are always null: this server answers before the process ends. */
export const ExecResult = struct("ExecResponse", () => ({
  processId: Schema.String,
  pid: Schema.NullOr(U64),
  /** Always true. */
  running: Schema.Boolean,
  exitCode: Schema.NullOr(I32),
  /** Always null. */
  stdout: Schema.NullOr(Base64),
  /** Always null. */
  stderr: Schema.NullOr(Base64),
}))

/** Writes to the PTY. */
export const WriteParams = struct("WriteParams", () => ({ processId: Schema.String, chunk: Base64 }))

/** `accepted` is always true: a write that is not accepted is an error. */
export const WriteResult = struct("WriteResponse", () => ({
  /** Always true. */
  accepted: Schema.Boolean,
}))

/** Kills the process group. */
export const TerminateParams = struct("TerminateParams", () => ({ processId: Schema.String }))

/** `running` is true if the process was alive when the request came. */
export const TerminateResult = struct("TerminateResponse", () => ({ running: Schema.Boolean }))

/** Names the version of the wire. */
export const InitializeResult = struct("InitializeResponse", () => ({
  /** The version of the wire: `exec-server.v0`. */
  protocolVersion: Schema.String,
}))

/** A piece of output. That of a PTY is `stdout`. */
export const OutputDeltaParams = struct("ExecOutputDeltaNotification", () => ({
  processId: Schema.String,
  stream: Schema.Literal("stdout", "stderr"),
  chunk: Base64,
}))

/** The process has exited. `exitCode` is -1 after death by a signal. */
export const ExitedParams = struct("ExecExitedNotification", () => ({
  processId: Schema.String,
  exitCode: I32,
}))

const request = <P, PI, R, RI>(row: RequestMethod<P, PI, R, RI>) => row

/** Client to server, answered. */
export const requests = {
  initialize: request({
    params: Schema.Unknown,
    result: InitializeResult,
    slotted: false,
    says: "names the version of the wire, whatever is asked",
  }),
  "command/exec": request({
    params: ExecParams,
    result: ExecResult,
    family: "exec",
    slotted: true,
    says: "starts a process with pipes or a PTY",
  }),
  "command/exec/write": request({
    params: WriteParams,
    result: WriteResult,
    family: "exec",
    slotted: true,
    says: "writes to the PTY",
  }),
  "command/exec/terminate": request({
    params: TerminateParams,
    result: TerminateResult,
    family: "exec",
    slotted: false,
    says: "kills the process group and forgets the process",
  }),
}

/** Server to client, not answered. */
export const serverNotifications = {
  "command/exec/outputDelta": { params: OutputDeltaParams, says: "one chunk of output" },
  "command/exec/exited": { params: ExitedParams, says: "the process ended" },
}

const refused = (message: string) => new ErrorCode.RpcError({ code: ErrorCode.invalidRequest, message })

/** The dialect v0. */
export const v0: Dialect = {
  routes: {
    initialize: constant(requests.initialize, { protocolVersion }),
    "command/exec": operation("process/start", requests["command/exec"], {
      toParams: ({ outputBytesCap, ...params }) => ({
        ...params,
        pid: true,
        pipeStdin: false,
        enforceManagedNetwork: false,
        retainedBytes: outputBytesCap,
      }),
      toResult: ({ processId, pid }) =>
        Either.right({
          processId,
          pid: pid ?? null,
          running: true,
          exitCode: null,
          stdout: null,
          stderr: null,
        }),
    }),
    "command/exec/write": operation("process/write", requests["command/exec/write"], {
      toParams: (params) => params,
      toResult: ({ status }, { processId }) => {
        switch (status) {
          case "accepted":
            return Either.right({ accepted: true })
          case "stdinClosed":
            return Either.left(refused(`stdin is closed for process ${processId}`))
          case "unknownProcess":
            return Either.left(ErrorText.refusal("unknownProcess", { processId }))
          case "starting":
            return Either.left(refused(`process id ${processId} is starting`))
        }
      },
    }),
    "command/exec/terminate": operation("process/terminate", requests["command/exec/terminate"], {
      toParams: (params) => params,
      toResult: (result) => Either.right(result),
    }),
  },
  unknownMethod: (method) => refused(`unknown method: ${method}`),
  handshake: false,
  notification: (method) =>
    method === "initialized" ? method : refused(`unexpected notification method: ${method}`),
  endsOnStrayAnswer: false,
  endsOnMalformed: true,
  events: (processId, memory) => {
    const output = OutputText.makeDelta(processId, memory)
    return (event: Event) => {
      switch (event.kind) {
        case "output":
          return output(event)
        case "exited": {
          const exitCode = event.signal === undefined ? event.exitCode : -1
          return notificationText("command/exec/exited", { processId, exitCode })
        }
        case "closed":
          return undefined
      }
    }
  },
}
