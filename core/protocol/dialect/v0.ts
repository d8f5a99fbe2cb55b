/**
 * The first wire, v0 (March 2026): `command/exec` and what belongs to it, on a connection that is its own session.
 *
 * No handshake is needed, nothing outlives the connection, and a process is forgotten when it exits or is
 * terminated: its id is free again. Output has no numbers, and its end is not told. `outputBytesCap` bounds what is
 * retained of a process; what is told of it is never cut.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Base64 } from "../Bytes.ts"
import * as ErrorCode from "../ErrorCode.ts"
import { I32, U64 } from "../Integers.ts"
import { notificationText } from "../Message.ts"
import type { RequestMethod } from "../Methods.ts"
import * as OutputText from "../OutputText.ts"
import { constant, type Dialect, type Event, operation } from "./Dialect.ts"

/** What `initialize` answers. */
export const protocolVersion = "exec-server.v0"

/** Bytes per stream, where a request names none: 1 MiB. */
export const defaultOutputBytesCap = 1024 * 1024

/** `cwd` is an absolute native path; `env` is the whole environment; only a `tty` has an input. */
export const ExecParams = Schema.Struct({
  processId: Schema.String,
  argv: Schema.Array(Schema.String),
  cwd: Schema.String,
  env: Schema.Record({ key: Schema.String, value: Schema.String }),
  tty: Schema.Boolean,
  outputBytesCap: Schema.optionalWith(U64, { default: () => defaultOutputBytesCap }),
  arg0: Schema.optional(Schema.NullOr(Schema.String)),
}).annotations({ identifier: "ExecParams" })

/** `exitCode`, `stdout` and `stderr` are for servers that wait for the end; this one never does. */
export const ExecResult = Schema.Struct({
  processId: Schema.String,
  pid: Schema.NullOr(U64),
  running: Schema.Boolean,
  exitCode: Schema.NullOr(I32),
  stdout: Schema.NullOr(Base64),
  stderr: Schema.NullOr(Base64),
}).annotations({ identifier: "ExecResponse" })

export const WriteParams = Schema.Struct({ processId: Schema.String, chunk: Base64 }).annotations({
  identifier: "WriteParams",
})

export const WriteResult = Schema.Struct({ accepted: Schema.Boolean }).annotations({
  identifier: "WriteResponse",
})

export const TerminateParams = Schema.Struct({ processId: Schema.String }).annotations({
  identifier: "TerminateParams",
})

export const TerminateResult = Schema.Struct({ running: Schema.Boolean }).annotations({
  identifier: "TerminateResponse",
})

export const InitializeResult = Schema.Struct({ protocolVersion: Schema.String }).annotations({
  identifier: "InitializeResponse",
})

/** The output of a terminal is `stdout`. */
export const OutputDeltaParams = Schema.Struct({
  processId: Schema.String,
  stream: Schema.Literal("stdout", "stderr"),
  chunk: Base64,
}).annotations({ identifier: "ExecOutputDeltaNotification" })

/** Death by a signal is `exitCode` -1. */
export const ExitedParams = Schema.Struct({ processId: Schema.String, exitCode: I32 }).annotations({
  identifier: "ExecExitedNotification",
})

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

export const v0: Dialect = {
  routes: {
    initialize: constant(requests.initialize, { protocolVersion }),
    "command/exec": operation("process/start", requests["command/exec"], {
      toParams: ({ outputBytesCap, ...params }) => ({
        ...params,
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
            return Either.left(refused(`unknown process id ${processId}`))
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
    method === "initialized" ? true : refused(`unexpected notification method: ${method}`),
  endsOnStrayAnswer: false,
  endsOnMalformed: true,
  events: (processId) => {
    const output = OutputText.makeDelta(processId)
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
