/**
 * The program `procwire`: picks a command, runs it, and turns its result into an exit code.
 *
 * A command is loaded when it is picked, so that a server starts without the code of the client.
 */
import process from "node:process"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import type { Platform } from "../Platform.ts"
import * as ForwardedSignals from "./ForwardedSignals.ts"
import * as TextFile from "../host/TextFile.ts"
import * as Logging from "../serve/Logging.ts"
import { ConfigurationError, UsageError } from "./Flags.ts"
import { version } from "../Version.ts"

const help = `procwire ${version}: runs processes for other programs

Usage: procwire COMMAND [OPTIONS]

Commands:
  serve    serve processes to clients over stdio, WebSocket, unix socket or TCP
  run      run one command through a server, live, and exit with its exit code
  mcp      offer running commands to a language model: an MCP server over stdio
  spawners list the sandboxes that processes can run in, and what they need on this machine
  doctor   try what this machine can do, and say what mends the rest
  schema   write files that describe the protocol for other languages: JSON Schema, OpenRPC
  shell-init  print what makes bash or zsh tell its prompts and commands

Options:
  -h, --help       show this text, or the help of a command: procwire COMMAND --help, procwire help COMMAND
  -V, --version    show the version

Examples:
  procwire serve --listen ws://127.0.0.1:7000
  procwire run -- ls -la
  procwire run --tty -- bash
  procwire run --server ws://127.0.0.1:7000 -- make test
  procwire mcp --cwd /path/to/project
`

interface Command {
  readonly help: string
  /** The command handles signals itself. */
  readonly takesSignals?: boolean
  /** The command ends by itself when `asked` completes: the first signal completes it, the second interrupts. */
  readonly ends?: boolean
  /** A signal ends the command with 128 + n, not with 0. */
  readonly diesOfSignals?: boolean
  readonly run: (
    platform: Platform,
    args: ReadonlyArray<string>,
    asked: Effect.Effect<ForwardedSignals.Name>,
  ) => Effect.Effect<number | void, unknown, TextFile.TextFiles>
}

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: () => import("./ServeCommand.ts").then(({ help, serve }) => ({ help, run: serve, ends: true })),
  run: () => import("./RunCommand.ts").then(({ help, run }) => ({ help, run, takesSignals: true })),
  mcp: () =>
    import("./McpCommand.ts").then(({ help, mcp }) => ({ help, run: mcp, ends: true, diesOfSignals: true })),
  spawners: () => import("./SpawnersCommand.ts").then(({ help, spawners }) => ({ help, run: spawners })),
  doctor: () => import("./DoctorCommand.ts").then(({ help, doctor }) => ({ help, run: doctor })),
  schema: () => import("./SchemaCommand.ts").then(({ help, schema }) => ({ help, run: schema })),
  "shell-init": () =>
    import("./ShellInitCommand.ts").then(({ help, shellInit }) => ({ help, run: shellInit })),
}

/** Runs the command line and ends this process with the command's exit code. */
export const main = (platform: Platform): void => {
  ignoreBrokenPipes()
  const [name, ...args] = process.argv.slice(2)
  if (name === undefined) return finish(process.stderr, help, 2)
  if (name === "--help" || name === "-h") return finish(process.stdout, help, 0)
  // The help of a command: `procwire help run`.
  if (name === "help" && args[0] === undefined) return finish(process.stdout, help, 0)
  if (name === "help") return start(platform, args[0] ?? "", ["--help"])
  if (name === "--version" || name === "-V") return finish(process.stdout, `procwire ${version}\n`, 0)
  return start(platform, name, args)
}

const start = (platform: Platform, name: string, args: ReadonlyArray<string>): void => {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load === undefined) return wrongUse(new UsageError({ command: "procwire", message: unknown(name) }))
  void load().then((command) =>
    wantsHelp(args) ? finish(process.stdout, command.help, 0) : launch(command, platform, args),
  )
}

/** EPIPE is reported to the writer; ignore the event, which would be an uncaught error. */
const ignoreBrokenPipes = () => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

const launch = (command: Command, platform: Platform, args: ReadonlyArray<string>) => {
  const asked = Deferred.unsafeMake<ForwardedSignals.Name>(FiberId.none)
  const fiber = Effect.runFork(
    Logging.withUsual(Effect.provide(command.run(platform, args, Deferred.await(asked)), TextFile.layer)),
  )
  let signal: ForwardedSignals.Name | undefined
  for (const name of command.takesSignals === true ? [] : ForwardedSignals.names) {
    // A server dies of SIGQUIT, as programs do by default.
    if (name === "SIGQUIT" && command.diesOfSignals !== true) continue
    process.on(name, () => {
      if (signal !== undefined || command.ends !== true) Effect.runFork(Fiber.interrupt(fiber))
      signal ??= name
      Deferred.unsafeDone(asked, Effect.succeed(name))
    })
  }
  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit) && typeof exit.value === "number") return process.exit(exit.value)
    if (Exit.isSuccess(exit) || (signal !== undefined && Cause.isInterruptedOnly(exit.cause))) {
      const dies = signal === "SIGHUP" || command.diesOfSignals === true
      return process.exit(signal !== undefined && dies ? ForwardedSignals.exitCode(signal) : 0)
    }
    const error = Cause.squash(exit.cause)
    if (error instanceof UsageError) return wrongUse(error)
    if (error instanceof ConfigurationError) return finish(process.stderr, `Error: ${error.message}\n`, 2)
    finish(process.stderr, `Error: ${error instanceof Error ? error.message : String(error)}\n`, 1)
  })
}

const wrongUse = (error: UsageError) =>
  finish(
    process.stderr,
    `error: ${error.message}\n\nFor more information, try '${error.command} --help'.\n`,
    2,
  )

const unknown = (name: string) =>
  name.startsWith("-")
    ? `unexpected argument '${name}'${Suggestion.ofWord(name, ["--help", "--version"])}`
    : `unrecognized command '${name}'${Suggestion.ofWord(name, Object.keys(commands))}`

const wantsHelp = (args: ReadonlyArray<string>) => {
  const end = args.indexOf("--")
  const flags = end === -1 ? args : args.slice(0, end)
  return flags.includes("--help") || flags.includes("-h")
}

/** Writes a text, and exits once it is written. */
const finish = (stream: NodeJS.WritableStream, text: string, code: number): void => {
  stream.write(text, () => process.exit(code))
}
