/** A process of a client as the child of a spawner: its operations are requests, and their errors those of a spawner. */
import * as Effect from "effect/Effect"
import type { ClientError } from "../../core/client/ClientError.ts"
import type { ExecClient } from "../../core/client/ExecClient.ts"
import type { RemoteProcess } from "../../core/client/RemoteProcess.ts"
import { toBase64 } from "../../core/protocol/Bytes.ts"
import * as ErrorCode from "../../core/protocol/ErrorCode.ts"
import * as Turn from "../../core/protocol/Turn.ts"
import * as SpawnError from "../../core/spawn/SpawnError.ts"
import type { ChildHandle, Stdio } from "../../core/spawn/Spawner.ts"
import type { RemoteEvents } from "./RemoteEvents.ts"

/**
 * The most bytes of one request. A server answers 128 writes before the process has read them, so 2 MiB wait there;
 * the requests of one write are sent together.
 */
const pieceBytes = 16 * 1024

const signals: { readonly [name: string]: "interrupt" | "terminate" | "hangup" | "quit" } = {
  SIGINT: "interrupt",
  SIGTERM: "terminate",
  SIGHUP: "hangup",
  SIGQUIT: "quit",
}

/** The handle of a process that is followed. `anySignal`: its server takes every name of a signal. */
export const make = (
  call: ExecClient["call"],
  process: RemoteProcess,
  { abandon, exited, killed, lingers, pause, resume }: RemoteEvents,
  stdio: Stdio,
  anySignal: boolean,
): ChildHandle => {
  const kill = Effect.map(process.terminate, killed)
  const takesNothing = stdio.kind === "pipe" && !stdio.stdin
  return {
    pid: undefined,
    write: takesNothing ? () => stdinError("NotOpen") : writer(call, process, exited),
    endStdin: stdio.kind === "pty" ? Effect.void : Effect.ignore(process.closeStdin),
    signal: (name) => {
      if (name === "SIGKILL") return Effect.mapError(kill, toSignalError)
      const known = signals[name] ?? (anySignal ? name : undefined)
      return known === undefined ? unsupported(name) : Effect.mapError(process.signal(known), toSignalError)
    },
    kill: Effect.ignore(kill),
    abandonOutput: Effect.sync(abandon),
    lingering: Effect.sync(lingers),
    resize: (size) => Effect.mapError(process.resize(size), toSignalError),
    pause,
    resume,
  }
}

/** Writes wait for those before. A server accepts and drops what comes after the exit, so that is refused here. */
const writer = (
  call: ExecClient["call"],
  { id }: RemoteProcess,
  exited: () => boolean,
): ChildHandle["write"] => {
  const writing = Turn.make()
  let count = 0
  const send = (bytes: Uint8Array) =>
    Effect.suspend(() =>
      exited()
        ? stdinError("Closed")
        : call("process/write", { processId: id, chunk: toBase64(bytes), writeId: `${count++}` }).pipe(
            Effect.mapError((cause) => new SpawnError.StdinError({ reason: "Closed", cause })),
            Effect.flatMap(({ status }) => (status === "accepted" ? Effect.void : stdinError("Closed"))),
          ),
    )
  return (bytes) => {
    const starts = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, n) => n * pieceBytes)
    return writing(
      Effect.forEach(starts, (start) => send(bytes.subarray(start, start + pieceBytes)), {
        concurrency: "unbounded",
        discard: true,
      }),
    )
  }
}

const stdinError = (reason: "NotOpen" | "Closed") => Effect.fail(new SpawnError.StdinError({ reason }))

const unsupported = (name: string) =>
  new SpawnError.SignalError({ reason: "Unsupported", message: `the wire has no signal ${name}` })

const toSignalError = (cause: ClientError) =>
  new SpawnError.SignalError({
    // A server refuses a signal that it does not know as wrong params.
    reason: cause.code === ErrorCode.invalidParams ? "Unsupported" : "Unknown",
    message: cause.message,
    cause,
  })

const ofSystem = [
  SpawnError.notFound,
  SpawnError.notADirectory,
  SpawnError.permissionDenied,
  SpawnError.notExecutable,
  SpawnError.argumentsTooLong,
]

const reasons: { readonly [kind in ErrorCode.ErrorKind]?: SpawnError.SpawnReason } = {
  spawnNotFound: "NotFound",
  spawnPermissionDenied: "PermissionDenied",
  sandboxUnavailable: "Unconfinable",
  sandboxPreparation: "Unprepared",
}

/** The reason is in the text of the system; where that is another, in the kind. */
export const toSpawnError = (cause: ClientError): SpawnError.SpawnError => {
  const message = cause.serverMessage ?? cause.message
  const known = ofSystem.find((make) => make().message === message)
  const reason = (cause.kind && reasons[cause.kind]) ?? "Unknown"
  return known?.(cause) ?? new SpawnError.SpawnError({ reason, message, cause })
}
