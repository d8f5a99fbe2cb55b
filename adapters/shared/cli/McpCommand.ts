/**
 * `procwire mcp`: the tools of `core/agent` for an MCP client on stdin and stdout.
 *
 * When a remote server is lost, its sessions are lost too; the next command connects anew.
 */
import * as Effect from "effect/Effect"
import type * as TextFile from "../host/TextFile.ts"
import type * as Scope from "effect/Scope"
import * as Command from "../../../core/agent/Command.ts"
import * as Commands from "../../../core/agent/Commands.ts"
import * as UnifiedExec from "../../../core/agent/UnifiedExec.ts"
import type * as Tools from "../../../core/agent/Tools.ts"
import * as Waiting from "../../../core/agent/Waiting.ts"
import type { ClientReason } from "../../../core/client/ClientError.ts"
import * as ExecClient from "../../../core/client/ExecClient.ts"
import * as Connect from "../Connect.ts"
import * as Instructions from "../mcp/Instructions.ts"
import * as ToolServer from "../mcp/ToolServer.ts"
import type { Platform } from "../Platform.ts"
import * as StdioTransport from "../transport/StdioTransport.ts"
import * as ServerServices from "../ServerServices.ts"
import * as ForwardedSignals from "./ForwardedSignals.ts"
import * as Logging from "../serve/Logging.ts"
import * as NoServer from "./NoServer.ts"
import * as RunningCommands from "./RunningCommands.ts"
import * as LogFlags from "./LogFlags.ts"
import * as Settle from "./server/Settle.ts"
import * as SpawnerFlag from "./SpawnerFlag.ts"
import { help as helpFlag, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Flags from "./Flags.ts"
import * as EnvFlag from "./EnvFlag.ts"
import { version } from "../Version.ts"

/** How long commands have to end after a signal: less than clients wait until they send SIGKILL. */
const graceMillis = 1500

const command = "procwire mcp"

const flags = {
  ...TargetFlags.flags,
  ...SpawnerFlag.flags,
  cwd: {
    type: "string",
    shows: "DIR",
    help: "where commands run, relative to the server's directory [default: that one]",
    completes: "directory",
  },
  shell: {
    type: "string",
    shows: "PATH",
    help: "what runs them [default: the user's shell on the server's host]",
    completes: "file",
  },
  ...EnvFlag.flags,
  "max-poll-ms": {
    type: "string",
    shows: "N",
    help:
      "how long write_stdin without characters, and a call with wait_for, may wait; give less than the client's " +
      `patience [default: ${Waiting.pollMillis.most}, and ${Waiting.waitMillis.most}]`,
  },
  tools: {
    type: "string",
    shows: "all|codex",
    help: "which tools there are; codex: exec_command and write_stdin as Codex has them [default: all]",
    completes: ["all", "codex"],
  },
  text: {
    type: "string",
    shows: "plain|raw",
    help:
      "output as it was printed, or without ANSI codes and what carriage returns write over " +
      "[default: plain; raw for --tools codex]",
    completes: ["plain", "raw"],
  },
  "output-bytes": {
    type: "string",
    shows: "N",
    help: `how much output of each command read_output can read again [default: ${Commands.outputBytes.usual}]`,
  },
  ...LogFlags.flags,
  ...helpFlag,
} as const satisfies FlagSpecs

export const spec: Spec = {
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
}

export interface McpRequest {
  readonly target: TargetFlags.Target
  /** What holds for every command that the model runs. */
  readonly options: UnifiedExec.Options
  readonly logs: Logging.Options
  /** What starts commands where the server is in this process. */
  readonly starting: SpawnerFlag.Choice
}

/** Reads the command line behind `procwire mcp`. */
export const parse = (
  args: ReadonlyArray<string>,
): Effect.Effect<McpRequest, Flags.UsageError | Flags.ConfigurationError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const values = yield* Flags.parse(command, args, flags)
    const { cwd, shell, "max-poll-ms": longest, tools, text, "output-bytes": outputBytes } = values
    const options = {
      env: yield* EnvFlag.read(command, values),
      ...(cwd === undefined ? {} : { cwd }),
      ...(shell === undefined ? {} : { shell }),
      ...(longest === undefined
        ? {}
        : { longestPollMillis: yield* Flags.wholeNumber(command, "--max-poll-ms", longest, 1) }),
      ...(tools === undefined ? {} : { tools: yield* readOffer(tools) }),
      ...(text === undefined ? {} : { text: yield* readForm(text) }),
      ...(outputBytes === undefined
        ? {}
        : {
            outputBytes: yield* Flags.wholeNumber(
              command,
              "--output-bytes",
              outputBytes,
              Commands.outputBytes.least,
            ),
          }),
    }
    const logs = yield* LogFlags.read(command, values)
    const target = yield* TargetFlags.read(command, values, { inProcess: true }, SpawnerFlag.isGiven(values))
    const starting = yield* SpawnerFlag.read(command, values, target)
    return { target, options, logs, starting }
  })

const readForm = (value: string): Effect.Effect<"plain" | "raw", Flags.UsageError> =>
  value === "plain" || value === "raw"
    ? Effect.succeed(value)
    : new Flags.UsageError({
        command,
        message: `invalid value '${value}' for '--text': expected plain or raw`,
      })

const readOffer = (value: string): Effect.Effect<Tools.Offer, Flags.UsageError> =>
  value === "all" || value === "codex"
    ? Effect.succeed(value)
    : new Flags.UsageError({
        command,
        message: `invalid value '${value}' for '--tools': expected all or codex`,
      })

/** Serves until EOF on stdin, or until `asked` completes: then every command gets that signal, and time to end. */
export const mcp = (
  platform: Platform,
  args: ReadonlyArray<string>,
  asked: Effect.Effect<ForwardedSignals.Name>,
) =>
  Effect.gen(function* () {
    const request = yield* parse(args)
    return yield* SpawnerFlag.apply(command, platform, request.starting, request.target).pipe(
      Effect.flatMap((chosen) =>
        Settle.settle(platform, request.target).pipe(
          Effect.flatMap((target) => serve(target, request.options, asked)),
          Effect.scoped,
          Effect.provide(ServerServices.layer(chosen)),
        ),
      ),
      Effect.scoped,
      Effect.provide(Logging.layer(request.logs)),
    )
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
    const first = yield* Effect.mapError(client, (error) => NoServer.from(target, error))
    yield* tryOut(first, options)
    const { environmentInfo } = first
    const commands = yield* RunningCommands.make
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
  const start = Command.toStart({ cmd: "exit", login: false }, options, client.environmentInfo)
  return Effect.scoped(client.startScoped(start)).pipe(
    Effect.asVoid,
    Effect.mapError((error) => {
      const [flag, value] = error.reason === "WorkingDirectory" ? ["--cwd", cwd] : ["--shell", shell]
      return isOfStart(error.reason) && value !== undefined
        ? new Flags.UsageError({
            command,
            message: `invalid value '${value}' for '${flag}': ${error.message}`,
          })
        : error
    }),
  )
}

const isOfStart = (reason: ClientReason): boolean =>
  reason === "WorkingDirectory" || reason === "ProgramNotFound" || reason === "ProgramNotExecutable"
