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
import * as References from "effect/References"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import type { Platform } from "../Platform.ts"
import * as ForwardedSignals from "./ForwardedSignals.ts"
import * as TextFile from "../host/TextFile.ts"
import * as Logging from "../serve/Logging.ts"
import * as Command from "./Command.ts"
import { commands, hidden } from "./Commands.ts"
import { ConfigurationError, UsageError } from "./Flags.ts"
import { OutputFailed } from "./LocalTerminal.ts"
import { Unable } from "./server/Unable.ts"
import * as Help from "./table/Help.ts"
import * as ArgumentBytes from "./words/ArgumentBytes.ts"
import * as Message from "./words/Message.ts"
import { version } from "../Version.ts"

/** Runs the command line and ends this process with the command's exit code. */
export const main = (platform: Platform): void => {
  ignoreBrokenPipes()
  const [name, ...args] = ArgumentBytes.words()
  if (name === undefined) return showHelp(process.stderr, 2)
  if (name === "--help" || name === "-h") return showHelp(process.stdout, 0)
  // The help of a command: `procwire help run`.
  if (name === "help" && args[0] === undefined) return showHelp(process.stdout, 0)
  if (name === "help" && args[0]?.startsWith("-") === true) return void help(args)
  if (name === "help") return start(platform, args[0] ?? "", ["--help"])
  if (name === "--version" || name === "-V" || name === "version")
    return finish(process.stdout, `procwire ${version}\n`, 0)
  return start(platform, name, args)
}

const showHelp = (to: NodeJS.WritableStream, code: number): void =>
  void Help.programPage().then((text) => finish(to, text, code))

const help = async ([flag = "", name, ...more]: ReadonlyArray<string>): Promise<void> => {
  const wrong = (message: string) => wrongUse("procwire", message)
  if (more.length > 0) return wrong(`unexpected argument '${more[0]}'`)
  if (flag === "--help" || flag === "-h") return showHelp(process.stdout, 0)
  if (flag === "--man-dir" && name === undefined) return wrong("'--man-dir' needs a value: a folder")
  if (flag === "--man-dir")
    return finish(process.stdout, `${(await Help.writeManPages(name ?? "")).join("\n")}\n`, 0)
  if (flag !== "--man")
    return wrong(`unexpected argument '${flag}'${Suggestion.ofWord(flag, ["--man", "--man-dir"])}`)
  const text = await Help.manPage(name)
  return text === undefined ? wrong(unknown(name ?? "")) : finish(process.stdout, text, 0)
}

const start = (platform: Platform, name: string, args: ReadonlyArray<string>): void => {
  const load = Object.hasOwn(all, name) ? all[name] : undefined
  if (load === undefined) return wrongUse("procwire", unknown(name, args))
  void load().then((command) =>
    wantsHelp(args) ? finish(process.stdout, Help.page(command), 0) : launch(command, platform, args),
  )
}

const all = { ...commands, ...hidden }

/** EPIPE is reported to the writer; ignore the event, which would be an uncaught error. */
const ignoreBrokenPipes = () => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

const launch = (command: Command.Command, platform: Platform, args: ReadonlyArray<string>) => {
  const asked = Deferred.makeUnsafe<ForwardedSignals.Name>()
  const about = { name: command.name, platform, asked: Deferred.await(asked) }
  const running = Effect.flatMap(Command.parse(command, args), (parsed) => {
    const run = command.run({ ...about, ...parsed })
    // Only commands that use a server have it.
    const verbose = parsed.values["verbose"] !== undefined
    return verbose ? Effect.provideService(run, References.MinimumLogLevel, "Debug") : run
  })
  const fiber = Effect.runFork(Logging.withUsual(Effect.provide(Effect.scoped(running), TextFile.layer)))
  let signal: ForwardedSignals.Name | undefined
  for (const name of command.takesSignals === true ? [] : ForwardedSignals.names) {
    // A server dies of SIGQUIT, as programs do by default.
    if (name === "SIGQUIT" && command.endsWell === true) continue
    process.on(name, () => {
      if (signal !== undefined || command.ends !== true) Effect.runFork(Fiber.interrupt(fiber))
      signal ??= name
      Deferred.doneUnsafe(asked, Effect.succeed(name))
    })
  }
  fiber.addObserver((exit) => {
    const value = Exit.isSuccess(exit) ? exit.value : undefined
    if (typeof value === "number") return process.exit(value)
    if (typeof value === "string") return ForwardedSignals.die(value)
    if (Exit.isSuccess(exit) || (signal !== undefined && Cause.hasInterruptsOnly(exit.cause))) {
      const dies = signal === "SIGHUP" || command.endsWell !== true
      return signal !== undefined && dies ? ForwardedSignals.die(signal) : process.exit(0)
    }
    const error = Cause.squash(exit.cause)
    if (error instanceof UsageError) return wrongUse(`procwire ${command.name}`, error.message)
    // As a death by SIGPIPE: the reader of stdout has gone.
    if (error instanceof OutputFailed && error.gone) return process.exit(128 + 13)
    if (error instanceof Unable)
      return finish(process.stderr, Message.line(error.message), error.exitCode ?? 1)
    if (error instanceof ConfigurationError) return finish(process.stderr, Message.line(error.message), 2)
    finish(process.stderr, Message.line(Message.textOf(error)), 1)
  })
}

const wrongUse = (command: string, message: string) =>
  finish(process.stderr, `${Message.line(message)}\nFor more information, try '${command} --help'.\n`, 2)

const unknown = (name: string, args: ReadonlyArray<string> = []) => {
  const command = args.find((word) => Object.hasOwn(commands, word))
  if (name.startsWith("-") && command !== undefined)
    return `unexpected argument '${name}'; options follow the command, as in procwire ${command} ${name}`
  const elsewhere = Object.hasOwn(ofDocker, name) ? ofDocker[name] : undefined
  if (elsewhere !== undefined) return `unrecognized command '${name}'; ${elsewhere}`
  return name.startsWith("-")
    ? `unexpected argument '${name}'${Suggestion.ofWord(name, ["--help", "--version"])}`
    : `unrecognized command '${name}'${Suggestion.ofWord(name, Object.keys(commands))}`
}

const ofDocker: Readonly<Record<string, string>> = {
  exec: "there is no container to enter: procwire run -- COMMAND runs another command there, procwire attach NAME brings a process here",
  start: "procwire run -d -- COMMAND starts a process, procwire restart NAME one that has ended",
  pause: "procwire kill -s STOP NAME stops a process until procwire kill -s CONT NAME",
  unpause: "procwire kill -s CONT NAME",
}

const wantsHelp = (args: ReadonlyArray<string>) => {
  const end = args.indexOf("--")
  const flags = end === -1 ? args : args.slice(0, end)
  return flags.includes("--help") || flags.includes("-h")
}

const finish = (stream: NodeJS.WritableStream, text: string, code: number): void => {
  stream.write(text, (cause) => {
    const failed = cause == null || stream === process.stderr ? undefined : new OutputFailed("stdout", cause)
    if (failed === undefined || failed.gone) return process.exit(code)
    finish(process.stderr, Message.line(failed.message), 1)
  })
}
