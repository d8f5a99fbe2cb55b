/**
 * The first version of the wire, v0 (March 2026): `command/exec` and its companions, on a connection that is its own
 * session.
 *
 * It needs no handshake and nothing outlives the connection. A process is forgotten when it exits or is terminated, so
 * that its id is free again. Output has no seq, and its end is not reported. `outputBytesCap` bounds the retained
 * output of a process, not the output that is sent.
 */
import * as Result from "effect/Result"
import * as Shape from "../shape/index.ts"
import * as ErrorCode from "../ErrorCode.ts"
import * as ErrorText from "../ErrorText.ts"
import { I32, U64 } from "../Integers.ts"
import { notificationText } from "../Message.ts"
import type { RequestMethod } from "../Methods.ts"
import { utf8, withinText } from "../Bytes.ts"
import type { MemoryPool } from "../MemoryPool.ts"
import { constant, type Dialect, type Event, operation, type Output } from "./Dialect.ts"

/** The version that `initialize` reports. */
export const protocolVersion = "exec-server.v0"

/** `outputBytesCap` of a request that names none, as in the peer implementation: 1 MiB. */
export const defaultOutputBytesCap = 1024 * 1024

/** `cwd` is an absolute native path, `env` the whole environment. Only a process with a PTY has a stdin. */
export const ExecParams = Shape.struct("ExecParams", {
  processId: Shape.string,
  /** The program and its arguments. */
  argv: Shape.list(Shape.string),
  /** The working directory, an absolute native path. */
  cwd: Shape.string,
  /** The whole environment. */
  env: Shape.map(Shape.string),
  /** True for a PTY, and with it a stdin. */
  tty: Shape.boolean,
  /** The most bytes of output to retain. */
  outputBytesCap: Shape.withDefault(U64, () => defaultOutputBytesCap),
  /** The `argv[0]` that the process sees. */
  arg0: Shape.nullable(Shape.string),
})

/** `exitCode`, `stdout` and `stderr` are always null: this server answers before the process ends. */
export const ExecResult = Shape.struct("ExecResponse", {
  processId: Shape.string,
  pid: Shape.nullOr(U64),
  /** Always true. */
  running: Shape.boolean,
  exitCode: Shape.nullOr(I32),
  /** Always null. */
  stdout: Shape.nullOr(Shape.bytes),
  /** Always null. */
  stderr: Shape.nullOr(Shape.bytes),
})

/** Writes to the PTY. */
export const WriteParams = Shape.struct("WriteParams", { processId: Shape.string, chunk: Shape.bytes })

/** `accepted` is always true: a write that is not accepted is an error. */
export const WriteResult = Shape.struct("WriteResponse", {
  /** Always true. */
  accepted: Shape.boolean,
})

/** Kills the process group. */
export const TerminateParams = Shape.struct("TerminateParams", { processId: Shape.string })

/** `running` is true if the process was alive when the request came. */
export const TerminateResult = Shape.struct("TerminateResponse", { running: Shape.boolean })

/** Names the version of the wire. */
export const InitializeResult = Shape.struct("InitializeResponse", {
  /** The version of the wire: `exec-server.v0`. */
  protocolVersion: Shape.string,
})

/** A piece of output. That of a PTY is `stdout`. */
export const OutputDeltaParams = Shape.struct("ExecOutputDeltaNotification", {
  processId: Shape.string,
  stream: Shape.words("stdout", "stderr"),
  chunk: Shape.bytes,
})

/** The process has exited. `exitCode` is -1 after death by a signal. */
export const ExitedParams = Shape.struct("ExecExitedNotification", {
  processId: Shape.string,
  exitCode: I32,
})

const request = <P, PI, R, RI>(row: RequestMethod<P, PI, R, RI>) => row

/** Client to server, answered. */
export const requests = {
  initialize: request({
    params: Shape.unknown,
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
        Result.succeed({
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
            return Result.succeed({ accepted: true })
          case "stdinClosed":
            return Result.fail(refused(`stdin is closed for process ${processId}`))
          case "unknownProcess":
            return Result.fail(ErrorText.refusal("unknownProcess", { processId }))
          case "starting":
            return Result.fail(refused(`process id ${processId} is starting`))
        }
      },
    }),
    "command/exec/terminate": operation("process/terminate", requests["command/exec/terminate"], {
      toParams: (params) => params,
      toResult: (result) => Result.succeed(result),
    }),
  },
  unknownMethod: (method) => refused(`unknown method: ${method}`),
  handshake: false,
  notification: (method) =>
    method === "initialized" ? method : refused(`unexpected notification method: ${method}`),
  endsOnStrayAnswer: false,
  endsOnMalformed: true,
  events: (processId, memory) => {
    const output = makeDelta(processId, memory)
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

/** The same as `makeOutput` of the current wire: there is no seq, and the output of a PTY is stdout. */
export const makeDelta = (processId: string, memory?: MemoryPool) => {
  const head = utf8.encode(
    `{"method":"command/exec/outputDelta","params":{"processId":${JSON.stringify(processId)},"stream":"`,
  )
  return ({ stream, bytes }: Output): Uint8Array =>
    withinText(head, `${stream === "pty" ? "stdout" : stream}","chunk":"`, bytes, tail, memory)
}

const tail = utf8.encode('"}}')
