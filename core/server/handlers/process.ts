/** `process/*`: checks and resolves the params, then calls the process registry of the session. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ParamsOf, ResultOf } from "../../protocol/Methods.ts"
import type { OperationParams } from "../../protocol/dialect/Dialect.ts"
import { leastCredit } from "../../protocol/Process.ts"
import * as Floor from "../../protocol/Floor.ts"
import * as PathUri from "../../protocol/PathUri.ts"
import * as Signals from "../../protocol/Signals.ts"
import type { Limits } from "../../protocol/Limits.ts"
import type { Sandbox } from "../../protocol/Sandbox.ts"
import * as SandboxPaths from "../../protocol/SandboxPaths.ts"
import * as Uuid from "../../protocol/Uuid.ts"
import type { RequestContext } from "../../rpc/Router.ts"
import type { Session } from "../../session/SessionRegistry.ts"
import * as Confinement from "../../protocol/Confinement.ts"
import * as EnvPolicy from "../../spawn/EnvPolicy.ts"
import type { HostInfo } from "../../spawn/Host.ts"
import type { Capabilities, SpawnSpec } from "../../spawn/Spawner.ts"
import { unconfinable } from "../SandboxedFiles.ts"
import type { Auditing } from "../audit/Auditing.ts"
import * as Deadlines from "../Deadlines.ts"
import * as Naming from "../Naming.ts"
import type { Notifier } from "../Notifier.ts"
import type { Tracing } from "../Tracing.ts"
import { type HandlerError, ParamsError } from "../WireError.ts"
import { bytesOf } from "./history.ts"

/** The size of a PTY whose start names none, as in the peer implementation. */
const defaultTerminalSize = { rows: 24, columns: 80 }

/**
 * The `sandboxType` of a start that asks for a sandbox, or has one by the floor of the server, on each platform: also
 * for a profile that confines nothing.
 */
const sandboxTypes: Readonly<Record<string, ResultOf<"process/start">["sandboxType"]>> = {
  linux: "linuxSeccomp",
  macos: "macosSeatbelt",
  windows: "windowsRestrictedToken",
}

/** What the handlers of one connection need. */
export interface ProcessContext {
  readonly host: HostInfo
  readonly capabilities: Capabilities
  readonly keepsHistories: boolean
  readonly limits: Limits
  /** What every process is confined to at least. */
  readonly floor: Confinement.Confinement | undefined
  /** The session that the connection is attached to. */
  readonly session: () => Session
  readonly tracing: Tracing
  readonly audit: Auditing
  readonly notifier: Notifier
}

/** The handlers of one connection. */
export const make = ({ host, session, notifier, tracing, audit, ...server }: ProcessContext) => ({
  "process/start": (params: OperationParams<"process/start">, { afterReply }: RequestContext) =>
    Effect.gen(function* () {
      const spec = yield* toSpawnSpec(params, host, server.capabilities, server.floor)
      const { processId } = params
      const credit = yield* toCredit(params.credit)
      const { keepsHistories, limits } = server
      const historyBytes = yield* bytesOf(params.history, keepsHistories, limits.historyBytes)
      const deadlines = yield* Deadlines.fromStart(params, host.platform)
      const names = yield* Naming.fromStart(params)
      const { id, processes } = session()
      const starting = processes.start(processId, spec, {
        retainedBytes: params.retainedBytes,
        around: audit.start(spec),
        receipt: params.receipt ?? false,
        historyBytes,
        marks: params.marks ?? false,
        ...deadlines,
        ...names,
      })
      const process = yield* tracing.process(id, processId, spec.argv[0], starting)
      afterReply(() => {
        notifier.attach(process, 0, credit)
        process.release()
      })
      const confined = params.sandbox != null || server.floor !== undefined
      const sandboxType = confined ? sandboxTypes[host.platform] : "none"
      return { processId, sandboxType: sandboxType ?? "none", pid: process.child?.pid }
    }),

  "process/read": ({ processId, afterSeq, maxBytes, waitMs }: ParamsOf<"process/read">) =>
    Effect.map(
      session().processes.read(processId, {
        afterSeq: afterSeq ?? 0,
        maxBytes: maxBytes ?? Infinity,
        waitMillis: waitMs ?? 0,
      }),
      (state) => ({
        ...state,
        chunks: state.chunks.map(({ seq, stream, bytes }) => ({ seq, stream, chunk: bytes })),
        failure: null,
      }),
    ),

  "process/write": ({ processId, chunk, writeId }: ParamsOf<"process/write">) =>
    writeId === ""
      ? refuse("writeId must not be empty")
      : Effect.map(session().processes.write(processId, chunk, writeId), (status) => ({ status })),

  "process/signal": ({ processId, signal }: ParamsOf<"process/signal">) =>
    Effect.suspend(() => {
      const name = Signals.toPosix(signal, host.platform)
      audit.signal(processId, name)
      return Effect.as(session().processes.signal(processId, name), {})
    }),

  "process/terminate": (params: ParamsOf<"process/terminate">) =>
    Effect.gen(function* () {
      const { processId } = params
      const grace = yield* Deadlines.fromTerminate(params, host.platform)
      const running = yield* session().processes.terminate(processId, grace)
      // Clients terminate what has ended, too, to be sure.
      if (running) audit.signal(processId, grace === undefined ? "SIGKILL" : (grace.signal ?? "SIGTERM"))
      return { running }
    }),

  "process/resize": ({ processId, rows, columns }: ParamsOf<"process/resize">) =>
    Effect.as(session().processes.resize(processId, { rows, columns }), {}),

  "process/closeStdin": ({ processId }: ParamsOf<"process/closeStdin">) =>
    Effect.as(session().processes.closeStdin(processId), {}),

  "process/credit": ({ processId, bytes }: ParamsOf<"process/credit">) =>
    Effect.flatMap(session().processes.find(processId), (process) =>
      notifier.grant(process, bytes)
        ? Effect.succeed({})
        : refuse(`the credit of process ${processId} must not exceed ${Number.MAX_SAFE_INTEGER} bytes`),
    ),
})

/** A smaller credit than one chunk could be one that nothing is ever pushed within. */
const toCredit = (credit: number | null | undefined): Effect.Effect<number | undefined, ParamsError> =>
  credit != null && credit < leastCredit
    ? refuse(`credit must be at least ${leastCredit} bytes, which one chunk may have: ${credit}`)
    : Effect.succeed(credit ?? undefined)

/** Resolves every option, so that spawners have none to interpret. */
const toSpawnSpec = (
  params: ParamsOf<"process/start">,
  host: HostInfo,
  { confine }: Capabilities,
  floor: Confinement.Confinement | undefined,
): Effect.Effect<SpawnSpec, HandlerError> =>
  Effect.gen(function* () {
    for (const field of ["networkProxy", "shellSnapshot"] as const) {
      if (params[field] != null) return yield* refuse(`\`${field}\` is not supported by this server`)
    }
    const { platform } = host
    const [program, ...args] = params.argv
    if (params.sandbox != null) {
      // The peer prepares a sandbox before it looks at the cwd, and after it has looked for a program.
      if (program === undefined) return yield* refuse(noProgram)
      const fault = foreignTo(params.sandbox, params.cwd, platform)
      if (fault !== undefined) return yield* refuse(`failed to prepare process sandbox: ${fault}`)
    }
    const cwd = yield* toCwd(params.cwd, platform)
    const resolved = EnvPolicy.resolve({
      env: params.env,
      policy: params.envPolicy ?? undefined,
      inherited: host.env,
      platform: host.platform,
    })
    const named = { ...resolved, ...callerOf(params.metadata) }
    const env = params.tty ? withShell(named, host) : named
    const context = { platform: host.platform, cwd, tmpdir: env["TMPDIR"] }
    const asked =
      params.sandbox == null ? Either.right(undefined) : Confinement.resolve(params.sandbox, context)
    if (Either.isLeft(asked)) return yield* refuse(asked.left)
    const confinement = Floor.under(floor, asked.right)
    if (confinement !== undefined && !confine) return yield* refuse(unconfinable)
    if (program === undefined) return yield* refuse(noProgram)
    return {
      argv: [program, ...args],
      arg0: params.arg0 ?? undefined,
      cwd,
      env,
      stdio: params.tty
        ? { kind: "pty", size: params.terminalSize ?? defaultTerminalSize }
        : { kind: "pipe", stdin: params.pipeStdin },
      confinement,
    }
  })

const noProgram = "argv must not be empty"

/** Why a path that a sandbox object names, or the cwd of its process, is none of this host. */
const foreignTo = (sandbox: Sandbox, cwd: string, platform: string): string | undefined => {
  const own = PathUri.isNativePath(cwd) ? undefined : cwd
  const foreign = SandboxPaths.foreign(sandbox, platform, ["cwd", "root", "permission"], own)
  if (foreign !== undefined) return `invalid sandbox ${roles[foreign.role]}: ${foreign.error.message}`
  const path = own === undefined ? undefined : PathUri.toPath(own, platform)
  return path !== undefined && Either.isLeft(path)
    ? `command cwd URI \`${canonical(cwd, platform)}\` is not valid on this host: ${path.left.message}`
    : undefined
}

const roles = { permission: "permission path", cwd: "policy cwd", root: "workspace root" } as const

const canonical = (uri: string, platform: string): string =>
  Either.getOrElse(PathUri.canonical(uri, platform), () => uri)

/** A PTY is for a person, whose programs ask `SHELL` for the shell to start. */
const withShell = (env: SpawnSpec["env"], { loginShell }: HostInfo): SpawnSpec["env"] =>
  loginShell === undefined || "SHELL" in env ? env : { ...env, SHELL: loginShell }

/** Tells a process which thread and which tool call of the client it serves, whatever its environment says. */
const callerOf = (metadata: ParamsOf<"process/start">["metadata"]): SpawnSpec["env"] => ({
  ...(metadata?.threadId == null ? {} : { CODEX_THREAD_ID: Uuid.hyphenatedOf(metadata.threadId) }),
  ...(metadata?.toolCallId == null ? {} : { CODEX_TOOL_CALL_ID: metadata.toolCallId }),
})

const toCwd = (cwd: string, platform: string): Effect.Effect<string, ParamsError> => {
  if (PathUri.isNativePath(cwd)) return Effect.succeed(PathUri.normalise(cwd))
  // Paths of Windows are text; elsewhere a folder may have any bytes in its name.
  const path = (platform === "windows" ? PathUri.toTextPath : PathUri.toPath)(cwd, platform)
  return Effect.mapError(
    path,
    ({ message }) =>
      new ParamsError({
        message: `cwd URI \`${canonical(cwd, platform)}\` is not valid on this exec-server host: ${message}`,
      }),
  )
}

const refuse = (message: string) => Effect.fail(new ParamsError({ message }))
