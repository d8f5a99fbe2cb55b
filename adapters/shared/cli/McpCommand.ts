/**
 * `procwire mcp`: the tools of `core/agent` for an MCP client on stdin and stdout.
 *
 * When a remote server is lost, its sessions are lost too; the next command connects anew.
 */
import * as Effect from "effect/Effect"
import type * as TextFile from "../host/TextFile.ts"
import type * as Scope from "effect/Scope"
import * as AgentCommand from "../../../core/agent/Command.ts"
import * as Commands from "../../../core/agent/Commands.ts"
import * as UnifiedExec from "../../../core/agent/UnifiedExec.ts"
import * as Waiting from "../../../core/agent/Waiting.ts"
import type { ClientReason } from "../../../core/client/ClientError.ts"
import * as ExecClient from "../../../core/client/ExecClient.ts"
import * as Connect from "../Connect.ts"
import * as Instructions from "../mcp/Instructions.ts"
import * as ToolServer from "../mcp/ToolServer.ts"
import * as Command from "./Command.ts"
import * as StdioTransport from "../transport/StdioTransport.ts"
import * as ServerServices from "../ServerServices.ts"
import * as ForwardedSignals from "./ForwardedSignals.ts"
import * as Logging from "../serve/Logging.ts"
import * as Access from "./server/Access.ts"
import * as OptionFlags from "./OptionFlags.ts"
import * as SpawnerFlag from "./SpawnerFlag.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Flags from "./Flags.ts"
import * as EnvFlag from "./EnvFlag.ts"
import { version } from "../Version.ts"
import * as Deferred from "effect/Deferred"
import * as Exit from "effect/Exit"
import { abandonable } from "../../../core/protocol/Abandon.ts"
import * as Fork from "../../../core/protocol/Fork.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"

/** The grace of commands after a signal: less than clients wait until they send SIGKILL. */
const graceMillis = 1500

const flags = {
  ...TargetFlags.flags,
  ...SpawnerFlag.flags,
  cwd: Flags.text("DIR", "where commands run, relative to the server's directory [default: that one]", {
    completes: "directory",
  }),
  shell: Flags.text("PATH", "what runs them [default: the user's shell on the server's host]", {
    completes: "file",
  }),
  ...EnvFlag.flags,
  "max-poll-ms": Flags.whole(
    "how long write_stdin without characters, and a call with wait_for, may wait; give less than the client's " +
      `patience [default: ${Waiting.pollMillis.most}, and ${Waiting.waitMillis.most}]`,
    1,
  ),
  tools: Flags.choice(
    "all|codex",
    ["all", "codex"],
    "which tools there are; codex: exec_command and write_stdin as Codex has them [default: all]",
  ),
  text: Flags.choice(
    "plain|raw",
    ["plain", "raw"],
    "output as it was printed, or without ANSI codes and what carriage returns write over " +
      "[default: plain; raw for --tools codex]",
  ),
  "output-bytes": Flags.whole(
    `how much output of each command read_output can read again [default: ${Commands.outputBytes.usual}]`,
    Commands.outputBytes.least,
  ),
  ...OptionFlags.logFlags,
} satisfies Flags.FlagTable

export const mcp = Command.make({
  name: "mcp",
  summary: "Offer running commands to a language model: an MCP server over stdio",
  usage: "[OPTIONS]",
  flags,
  text: `
The tools are exec_command, write_stdin, read_output, read_screen, list_commands and stop_command; the output of each
command is a resource.

Commands inherit the server's variables, but those named like keys, secrets and tokens: pass on with -e what they
need. Logs go to stderr. The end of stdin kills every command, with the exit code 0. SIGTERM, SIGINT, SIGHUP and
SIGQUIT are forwarded to every command, which has ${graceMillis} ms to end until it is killed, as by a second one;
the exit code is 128 + n. It is 1 if there is no server, 2 for wrong use, also if the directory or the shell is
missing. Without a server it is one in this process.`,
  examples: [
    "procwire mcp --cwd /path/to/project",
    "procwire mcp --shell /bin/bash -e GITHUB_TOKEN",
    "procwire mcp --server wss://build-host:7000 --token-file ~/.procwire-token --cwd /src",
    'procwire mcp --server-cmd "ssh build-host procwire serve --listen stdio"',
    '{"mcpServers": {"procwire": {"command": "procwire", "args": ["mcp", "--cwd", "/path/to/project"]}}}',
  ],
  ends: true,
  run: ({ platform, values, asked }) =>
    Effect.gen(function* () {
      const request = yield* read(values)
      return yield* SpawnerFlag.apply(platform, request.starting, request.target).pipe(
        Effect.flatMap((chosen) =>
          Access.settle(platform, request.target).pipe(
            Effect.flatMap((target) => serve(target, request.options, asked)),
            Effect.scoped,
            Effect.provide(ServerServices.layer(chosen)),
          ),
        ),
        Effect.scoped,
        Effect.provide(Logging.layer(request.logs)),
      )
    }),
})

export interface McpRequest {
  readonly target: TargetFlags.Target
  /** The defaults of every command that the model runs. */
  readonly options: UnifiedExec.Options
  readonly logs: Logging.Options
  readonly starting: SpawnerFlag.Choice
}

export const read = (
  values: Flags.Values<typeof flags>,
): Effect.Effect<McpRequest, Flags.UsageError | Flags.ConfigurationError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const { cwd, shell, "max-poll-ms": longestPollMillis, tools, text, "output-bytes": outputBytes } = values
    const given = { cwd, shell, longestPollMillis, tools, text, outputBytes }
    const options = {
      env: EnvFlag.all(values),
      ...(Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== undefined),
      ) as UnifiedExec.Options),
    }
    const logs = yield* OptionFlags.readLogs(values)
    const target = yield* TargetFlags.read(values, { inProcess: true }, SpawnerFlag.isGiven(values))
    return { target, options, logs, starting: yield* SpawnerFlag.read(values, target) }
  })

const serve = (
  target: Connect.Target,
  options: UnifiedExec.Options,
  asked: Effect.Effect<ForwardedSignals.Name>,
) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<Connect.Services | Scope.Scope>()
    const client = yield* ExecClient.lazy(Effect.provide(Connect.open(target), services), {
      clientName: "procwire-mcp",
      // A running server keeps its sessions; the others end with their connection.
      reconnect: "url" in target && {},
    })
    const first = yield* Effect.mapError(client, (error) => Access.noServerAt(target, error))
    yield* tryOut(first, options)
    const { environmentInfo } = first
    const commands = yield* runningCommands
    const tools = yield* UnifiedExec.make(
      {
        environmentInfo,
        startSubscribed: (start) =>
          Effect.flatMap(client, (now) =>
            commands.start(now.startSubscribed(start), ForwardedSignals.areKnown(now)),
          ),
      },
      options,
    )
    const stdio = yield* StdioTransport.make({ halfOpen: true })
    const about = { version, instructions: Instructions.make(environmentInfo, options) }
    const ended = Effect.flatMap(asked, (name) => commands.end(name, graceMillis))
    yield* Effect.raceFirst(ToolServer.serve(tools, stdio, about), ended)
  })

/**
 * Refuses a `--cwd` and a `--shell` with which no command can run. They belong to the server's host, so the shell is
 * started there once.
 */
const tryOut = (client: ExecClient.ExecClient, options: UnifiedExec.Options) => {
  const { cwd, shell } = options
  if (cwd === undefined && shell === undefined) return Effect.void
  const start = AgentCommand.toStart({ cmd: "exit", login: false }, options, client.environmentInfo)
  return Effect.scoped(client.startScoped(start)).pipe(
    Effect.asVoid,
    Effect.mapError((error) => {
      const [flag, value] = error.reason === "WorkingDirectory" ? ["--cwd", cwd] : ["--shell", shell]
      return isOfStart(error.reason) && value !== undefined
        ? Flags.wrong(`invalid value '${value}' for '${flag}': ${error.message}`)
        : error
    }),
  )
}

const isOfStart = (reason: ClientReason): boolean =>
  reason === "WorkingDirectory" || reason === "ProgramNotFound" || reason === "ProgramNotExecutable"

interface Running {
  /** Undefined if the start has failed. */
  readonly started: Deferred.Deferred<RemoteProcess | undefined>
  readonly known: boolean
}

/** No commands yet. */
const runningCommands = Effect.gen(function* () {
  const fork = yield* Fork.inScope
  const commands = new Set<Running>()

  /** Starts a command, which counts from now until it is closed. `known`: its server sends every signal. */
  const start = <A extends { readonly process: RemoteProcess }, E>(
    starting: Effect.Effect<A, E>,
    known: boolean,
  ): Effect.Effect<A, E> =>
    Effect.gen(function* () {
      const command: Running = { started: yield* Deferred.make<RemoteProcess | undefined>(), known }
      commands.add(command)
      return yield* Effect.onExit(starting, (exit) => {
        const process = Exit.isSuccess(exit) ? exit.value.process : undefined
        const forget = Effect.sync(() => commands.delete(command))
        const closed = process === undefined ? Effect.void : Effect.ignore(process.closed)
        return Effect.sync(() => {
          Deferred.doneUnsafe(command.started, Effect.succeed(process))
          fork(Effect.ensuring(closed, forget))
        })
      })
    })

  const end = (name: ForwardedSignals.Name, { started, known }: Running) =>
    Effect.gen(function* () {
      const process = yield* Deferred.await(started)
      if (process === undefined) return
      yield* ForwardedSignals.send(process, name, known)
      yield* process.closed
    }).pipe(Effect.ignore)

  return {
    start,
    /** Sends a signal to all, and waits until they are closed, but for no longer than so many milliseconds. */
    end: (name: ForwardedSignals.Name, graceMillis: number) =>
      Effect.suspend(() =>
        Effect.forEach([...commands], (command) => end(name, command), { concurrency: "unbounded" }),
      ).pipe(abandonable, Effect.timeoutOption(graceMillis), Effect.asVoid),
  }
})
