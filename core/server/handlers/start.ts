/** `process/start`: checks and resolves the params, then starts the process in the session. */
import * as Effect from "effect/Effect"
import * as Features from "../../features/Features.ts"
import { ProcessError } from "../../process/ProcessError.ts"
import type * as Confinement from "../../protocol/Confinement.ts"
import type { OperationParams } from "../../protocol/dialect/Dialect.ts"
import * as ErrorText from "../../protocol/ErrorText.ts"
import type { Limits } from "../../protocol/Limits.ts"
import type { ResultOf } from "../../protocol/Methods.ts"
import type { SessionScope } from "../../protocol/SessionScope.ts"
import type { RequestContext } from "../../rpc/Router.ts"
import type { Session } from "../../session/SessionRegistry.ts"
import type { HostInfo } from "../../spawn/Host.ts"
import type { Capabilities } from "../../spawn/Spawner.ts"
import type { Auditing } from "../audit/Auditing.ts"
import type { Attachments } from "../Attachments.ts"
import * as Credit from "../Credit.ts"
import * as Naming from "../Naming.ts"
import type { Notifier } from "../Notifier.ts"
import * as SpawnSpecs from "../SpawnSpecs.ts"
import type { Tracing } from "../Tracing.ts"
import { ParamsError, ScopeError } from "../WireError.ts"
import { bytesOf } from "./history.ts"

/**
 * The `sandboxType` of a start that asks for a sandbox, or has one by the floor of the server, on each platform: also
 * for a profile that confines nothing.
 */
const sandboxTypes: Readonly<Record<string, ResultOf<"process/start">["sandboxType"]>> = {
  linux: "linuxSeccomp",
  macos: "macosSeatbelt",
  windows: "windowsRestrictedToken",
}

/** What the handler of one connection needs. */
export interface StartContext {
  readonly host: HostInfo
  readonly capabilities: Capabilities
  readonly keepsHistories: boolean
  readonly limits: Limits
  /** What every process is confined to at least. */
  readonly floor: Confinement.Confinement | undefined
  /** The session that the connection is attached to. */
  readonly session: () => Session
  readonly attachments: Attachments
  /** What the client may do with other sessions. */
  readonly scope: SessionScope
  readonly tracing: Tracing
  readonly audit: Auditing
  readonly notifier: Notifier
}

/** The handler of one connection. */
export const make = ({ host, session, attachments, notifier, tracing, audit, ...server }: StartContext) => ({
  "process/start": (params: OperationParams<"process/start">, { afterReply }: RequestContext) =>
    Effect.gen(function* () {
      const spec = yield* SpawnSpecs.fromStart(params, host, server.capabilities, server.floor)
      const { processId } = params
      const credit = yield* Credit.least(params.credit)
      if (attachments.get(processId) !== undefined)
        return yield* new ProcessError({ reason: "AlreadyExists", processId })
      if (params.keep === true && server.scope !== "control")
        return yield* new ScopeError({ needs: "control", has: server.scope, what: "keeps" })
      if (params.answers === true && !params.tty)
        return yield* new ParamsError({ message: ErrorText.of("noTerminal") })
      const { keepsHistories, limits } = server
      const historyBytes = yield* bytesOf(params.history, keepsHistories, limits.historyBytes)
      const fault = Features.fault(params)
      if (fault !== undefined) return yield* new ParamsError({ message: fault })
      const names = yield* Naming.fromStart(params)
      const { id, processes } = session()
      const starting = processes.start(processId, spec, {
        retainedBytes: params.retainedBytes,
        around: audit.start(spec),
        extend: Features.extend(params, host),
        historyBytes,
        answers: params.answers ?? false,
        keep: params.keep ?? false,
        autoRemove: params.autoRemove ?? false,
        ...names,
      })
      const process = yield* tracing.process(id, processId, spec.argv[0], starting)
      afterReply(() => {
        notifier.attach(process, 0, credit)
        process.release()
      })
      const confined = params.sandbox != null || server.floor !== undefined
      const sandboxType = confined ? sandboxTypes[host.platform] : "none"
      const pid = params.pid === true ? process.child?.pid : undefined
      return { processId, sandboxType: sandboxType ?? "none", pid }
    }),
})
