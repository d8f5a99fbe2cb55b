/**
 * Logs of a server or a command: on stderr, one line each, in the chosen format and from the chosen level on.
 *
 * Lines are annotated with their connection, session and process. Colours are for terminals only.
 */
import process from "node:process"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"

const levels = {
  trace: LogLevel.Trace,
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error,
  none: LogLevel.None,
} as const

/** One log. */
export interface LogEntry {
  /** The severity. */
  readonly level: keyof typeof levels
  /** One line, without payload. */
  readonly message: string
  /** When it was logged. */
  readonly time: Date
  /** The `connection`, `session` and `process` it is about, and more. */
  readonly annotations: Readonly<Record<string, unknown>>
  /** The error behind it, if there is one. */
  readonly cause?: string
}

/** The form of logs, and their level. */
export interface Options {
  readonly onLog?: ((entry: LogEntry) => void) | undefined
  readonly logFormat?: keyof typeof formats | undefined
  readonly logLevel?: keyof typeof levels | undefined
}

const toStderr = (logger: Logger.Logger<unknown, string>): Logger.Logger<unknown, void> =>
  Logger.map(logger, (line) => void process.stderr.write(`${line}\n`))

const formats = {
  logfmt: () => usual,
  json: () => toStderr(Logger.jsonLogger),
  // The pretty logger writes by `console.error`, which is stderr on every runtime.
  pretty: () => Logger.prettyLogger({ colors: process.stderr.isTTY === true, mode: "tty", stderr: true }),
}

const usual = toStderr(Logger.logfmtLogger)

const fromEnvironment = (): LogLevel.LogLevel => {
  // Deno may not tell it.
  const name = Either.getOrElse(
    Either.try(() => process.env["PROCWIRE_LOG"]),
    () => undefined,
  )
  return levelNames.find((level) => level === name) === undefined
    ? LogLevel.Warning
    : levels[name as keyof typeof levels]
}

/** Logs as logfmt, from the level that `PROCWIRE_LOG` names. */
export const withUsual = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  effect.pipe(
    Effect.provide(Logger.replace(Logger.defaultLogger, usual)),
    Logger.withMinimumLogLevel(fromEnvironment()),
  )

/** Logs as the options say; an option that is absent changes nothing. */
export const layer = ({ logFormat, logLevel, onLog }: Options): Layer.Layer<never> =>
  Layer.mergeAll(
    logFormat === undefined || onLog !== undefined
      ? Layer.empty
      : Logger.replace(usual, formats[logFormat]()),
    onLog === undefined ? Layer.empty : layerCallback(onLog),
    logLevel === undefined ? Layer.empty : Logger.minimumLogLevel(levels[logLevel]),
  )

/** Logs to a function, and nowhere else. One that throws ends no fiber: it is an uncaught error of the program. */
const layerCallback = (onLog: (entry: LogEntry) => void): Layer.Layer<never> => {
  const logger = Logger.make<unknown, void>(({ logLevel, message, date, annotations, cause }) => {
    const entry: LogEntry = {
      level: levelNames.find((name) => levels[name] === logLevel) ?? "error",
      message: [message].flat().map(String).join(" "),
      time: date,
      annotations: Object.fromEntries(annotations),
      ...(Cause.isEmpty(cause) ? {} : { cause: Cause.pretty(cause) }),
    }
    try {
      onLog(entry)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  })
  const silent = [Logger.defaultLogger, usual].map((one) => Logger.remove(one))
  return Layer.mergeAll(Logger.add(logger), ...silent)
}

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  Object.keys(table) as unknown as readonly [Name, ...ReadonlyArray<Name>]

/** The names of the formats. */
export const formatNames = namesOf(formats)

/** The names of the levels, from the one that logs most. */
export const levelNames = namesOf(levels)
