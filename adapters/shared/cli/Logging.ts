/**
 * Logs of a command: on stderr, one line each, in the chosen format and from the chosen level on.
 *
 * Lines are annotated with their connection, session and process. Colours are for terminals only.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Flags from "./Flags.ts"

const levels: { readonly [name: string]: LogLevel.LogLevel } = {
  trace: LogLevel.Trace,
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error,
  none: LogLevel.None,
}

const toStderr = (logger: Logger.Logger<unknown, string>): Logger.Logger<unknown, void> =>
  Logger.map(logger, (line) => void process.stderr.write(`${line}\n`))

const formats: { readonly [name: string]: () => Logger.Logger<unknown, void> } = {
  logfmt: () => usual,
  json: () => toStderr(Logger.jsonLogger),
  // The pretty logger writes by `console.error`, which is stderr on every runtime.
  pretty: () => Logger.prettyLogger({ colors: process.stderr.isTTY === true, mode: "tty", stderr: true }),
}

const usual = toStderr(Logger.logfmtLogger)

const fromEnvironment = (): LogLevel.LogLevel => {
  const name = process.env["PROCWIRE_LOG"] ?? ""
  return (Object.hasOwn(levels, name) ? levels[name] : undefined) ?? LogLevel.Warning
}

export const flags = {
  "log-format": { type: "string" },
  "log-level": { type: "string" },
} as const

export const help = `\
  --log-format FORMAT        of the logs on stderr: ${Object.keys(formats).join(", ")} [default: logfmt]
  --log-level LEVEL          ${Object.keys(levels).join(", ")} [default: the variable PROCWIRE_LOG, or warning]
`

/** Logs as logfmt, from the level that `PROCWIRE_LOG` names. */
export const withUsual = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  effect.pipe(
    Effect.provide(Logger.replace(Logger.defaultLogger, usual)),
    Logger.withMinimumLogLevel(fromEnvironment()),
  )

/** Logs as the flags say; a flag that is absent changes nothing. */
export const layer = (
  command: string,
  values: Flags.Values<typeof flags>,
): Layer.Layer<never, Flags.UsageError> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const format = yield* choose(command, "log-format", values["log-format"], formats)
      const level = yield* choose(command, "log-level", values["log-level"], levels)
      return Layer.merge(
        format === undefined ? Layer.empty : Logger.replace(usual, format()),
        level === undefined ? Layer.empty : Logger.minimumLogLevel(level),
      )
    }),
  )

/** The entry of the table that a flag names; undefined where it was not given. */
const choose = <A>(
  command: string,
  flag: string,
  name: string | undefined,
  table: { readonly [name: string]: A },
): Effect.Effect<A | undefined, Flags.UsageError> => {
  if (name === undefined || Object.hasOwn(table, name)) return Effect.succeed(table[name ?? ""])
  const names = Object.keys(table).join(", ")
  const message = `invalid value '${name}' for '--${flag}': expected one of ${names}`
  return new Flags.UsageError({ command, message })
}
