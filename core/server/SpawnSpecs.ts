/** The params of `process/start` as a spec for spawners: every option is checked and resolved for this host. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Confinement from "../protocol/Confinement.ts"
import type { ErrorKind } from "../protocol/ErrorCode.ts"
import * as ErrorText from "../protocol/ErrorText.ts"
import type { ParamsOf } from "../protocol/Methods.ts"
import * as PathUri from "../protocol/PathUri.ts"
import { foreign as foreignPath, type Sandbox } from "../protocol/Sandbox.ts"
import * as Uuid from "../protocol/Uuid.ts"
import * as EnvPolicy from "../spawn/EnvPolicy.ts"
import type { HostInfo } from "../spawn/Host.ts"
import type { Capabilities, GivenSecret, SpawnSpec } from "../spawn/Spawner.ts"
import * as Secrets from "../features/secrets/Secrets.ts"
import { unconfinable } from "../features/fs/SandboxedFiles.ts"
import { type HandlerError, ParamsError } from "./WireError.ts"

/** The size of a PTY whose start names none, as in the peer implementation. */
const defaultTerminalSize = { rows: 24, columns: 80 }

/** Resolves every option, so that spawners have none to interpret. `hasProxies` if a feature takes `networkProxy`. */
export const fromStart = (
  params: ParamsOf<"process/start">,
  host: HostInfo,
  { confine }: Capabilities,
  floor: Confinement.Confinement | undefined,
  own: ReadonlyArray<GivenSecret> = [],
  hasProxies = false,
): Effect.Effect<SpawnSpec, HandlerError> =>
  Effect.gen(function* () {
    const { managedNetwork, networkProxy } = params
    // In the order of the peer: nothing else is looked at before.
    if (managedNetwork?.transparentTcp === true && networkProxy == null)
      return yield* refuse(ErrorText.of("noManagedProxy"))
    if (params.sandbox?.windowsSandboxLevel === "mxc")
      return yield* refuse(ErrorText.of("noMxc"), "sandboxUnavailable")
    if (networkProxy?.proxy.transparentTcp === true && params.sandbox == null)
      return yield* refuse(ErrorText.of("noManagedSandbox"))
    for (const field of ["networkProxy", "shellSnapshot"] as const) {
      if (params[field] != null && !(hasProxies && field === "networkProxy"))
        return yield* refuse(`\`${field}\` is not supported by this server`)
    }
    const { platform } = host
    const [program, ...args] = params.argv
    if (params.sandbox != null) {
      // The peer prepares a sandbox before it looks at the cwd, and after it has looked for a program.
      if (program === undefined) return yield* refuse(ErrorText.of("emptyArgv"))
      const fault = foreignTo(params.sandbox, params.cwd, platform)
      if (fault !== undefined)
        return yield* refuse(`failed to prepare process sandbox: ${fault}`, "sandboxPreparation")
    }
    const cwd = yield* toCwd(params.cwd, platform)
    const resolved = EnvPolicy.resolve({
      env: params.env,
      policy: params.envPolicy ?? undefined,
      inherited: host.env,
      platform: host.platform,
    })
    const named = { ...resolved, ...Secrets.variablesOf(params, own), ...callerOf(params.metadata) }
    const env = params.tty ? withShell(named, host) : named
    const context = { platform: host.platform, cwd, tmpdir: env["TMPDIR"] }
    const asked =
      params.sandbox == null ? Result.succeed(undefined) : Confinement.resolve(params.sandbox, context)
    if (Result.isFailure(asked)) return yield* refuse(asked.failure, "sandboxUnavailable")
    const confinement = Confinement.underFloor(floor, asked.success)
    if (confinement !== undefined && !confine) return yield* refuse(unconfinable, "sandboxUnavailable")
    if (program === undefined) return yield* refuse(ErrorText.of("emptyArgv"))
    return {
      argv: [program, ...args],
      arg0: params.arg0 ?? undefined,
      cwd,
      env,
      stdio: params.tty
        ? { kind: "pty", size: params.terminalSize ?? defaultTerminalSize }
        : { kind: "pipe", stdin: params.pipeStdin },
      confinement,
      secrets: Secrets.ofStart(params, own),
    }
  })

/** Why a path that a sandbox object names, or the cwd of its process, is none of this host. */
const foreignTo = (sandbox: Sandbox, cwd: string, platform: string): string | undefined => {
  const own = PathUri.isNativePath(cwd) ? undefined : cwd
  const foreign = foreignPath(sandbox, platform, ["cwd", "root", "permission"], own)
  if (foreign !== undefined) return `invalid sandbox ${roles[foreign.role]}: ${foreign.error.message}`
  const path = own === undefined ? undefined : PathUri.toPath(own, platform)
  return path !== undefined && Result.isFailure(path)
    ? `command cwd URI \`${canonical(cwd, platform)}\` is not valid on this host: ${path.failure.message}`
    : undefined
}

const roles = { permission: "permission path", cwd: "policy cwd", root: "workspace root" } as const

const canonical = (uri: string, platform: string): string =>
  Result.getOrElse(PathUri.canonical(uri, platform), () => uri)

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
    Effect.fromResult(path),
    ({ message }) =>
      new ParamsError({
        message: `cwd URI \`${canonical(cwd, platform)}\` is not valid on this exec-server host: ${message}`,
      }),
  )
}

const refuse = (message: string, kind?: ErrorKind) =>
  Effect.fail(new ParamsError({ message, ...(kind === undefined ? {} : { kind }) }))
