/** `process/start`: checks and resolves the params, then starts the process in the session. */
import * as Effect from "effect/Effect"
import type { Server } from "../../features/Feature.ts"
import type { Joined } from "../../features/Features.ts"
import * as Secrets from "../../features/secrets/Secrets.ts"
import type { Process } from "../../process/Process.ts"
import { ProcessError, type StartError } from "../../process/ProcessError.ts"
import type { Asked, ProcessRegistry } from "../../process/ProcessRegistry.ts"
import type * as Confinement from "../../protocol/Confinement.ts"
import type { OperationParams } from "../../protocol/dialect/Dialect.ts"
import type { ResultOf } from "../../protocol/Methods.ts"
import type { RequestContext } from "../../rpc/Router.ts"
import type { Session } from "../../session/SessionRegistry.ts"
import type { Secret, SpawnSpec } from "../../spawn/Spawner.ts"
import type { Auditing } from "../audit/Auditing.ts"
import * as Naming from "../Naming.ts"
import type { Notifier } from "../Notifier.ts"
import * as SpawnSpecs from "../SpawnSpecs.ts"
import type { Tracing } from "../Tracing.ts"
import { type HandlerError, ParamsError } from "../WireError.ts"

/**
 * The `sandboxType` of a start that asks for a sandbox, or has one by the floor of the server, on each platform: also
 * for a profile that confines nothing.
 */
const sandboxTypes: Readonly<Record<string, ResultOf<"process/start">["sandboxType"]>> = {
  linux: "linuxSeccomp",
  macos: "macosSeatbelt",
  windows: "windowsRestrictedToken",
}

/** Starts a process with all that its params ask for. */
export const start = (
  processes: ProcessRegistry,
  { options, extend }: Pick<Joined, "options" | "extend">,
  params: OperationParams<"process/start">,
  spec: SpawnSpec,
  asked: Asked,
): Effect.Effect<Process, StartError> =>
  processes.start(params.processId, spec, {
    retainedBytes: params.retainedBytes,
    extend: extend(params),
    ...options(params),
    ...asked,
  })

/** The context of the handler of one connection. */
export interface StartContext {
  readonly server: Server
  /** The least confinement of every process. */
  readonly floor: Confinement.Confinement | undefined
  /** The session that the connection is attached to. */
  readonly session: () => Session
  /** The processes of ids, the parts of features in them, and the gates of those that are followed. */
  readonly features: Pick<Joined, "at" | "gate" | "fault" | "options" | "extend">
  /** Undefined if nothing is traced. */
  readonly tracing: Tracing | undefined
  readonly audit: Auditing
  readonly notifier: Notifier
}

/** The error of a spec, which may quote the params, without these secrets. */
const told =
  (secrets: ReadonlyArray<Secret> | undefined) =>
  (error: HandlerError): HandlerError =>
    error._tag === "ParamsError" && secrets !== undefined
      ? new ParamsError({
          message: Secrets.redact(secrets, error.message),
          ...(error.kind && { kind: error.kind }),
        })
      : error

/** The handler of one connection. */
export const make = ({ session, features, notifier, tracing, audit, server, floor }: StartContext) => ({
  "process/start": (params: OperationParams<"process/start">, { afterReply }: RequestContext) =>
    Effect.gen(function* () {
      const { host, secrets, keepsEgress } = server
      const resolved = SpawnSpecs.fromStart(params, host, server.spawner, floor, secrets, keepsEgress)
      const spec = yield* Effect.mapError(resolved, told(Secrets.ofStart(params, secrets)))
      const { processId } = params
      if (features.at(processId).view !== undefined)
        return yield* new ProcessError({ reason: "AlreadyExists", processId })
      const fault = features.fault(params)
      if (fault !== undefined) return yield* fault
      const names = yield* Naming.fromStart(params)
      const { id, processes } = session()
      const starting = start(processes, features, params, spec, { ...names, around: audit.start(spec) })
      const process = yield* (
        tracing?.process(id, processId, Secrets.shown(spec).argv[0], starting) ?? starting
      )
      afterReply(() => {
        notifier.attach(process, 0, features.gate(process, params.credit ?? undefined))
        process.release()
      })
      const confined = params.sandbox != null || floor !== undefined
      const sandboxType = confined ? sandboxTypes[host.platform] : "none"
      const fields = process.extension?.startedFields?.()
      return { processId, sandboxType: sandboxType ?? "none", ...fields }
    }),
})
