/**
 * Logs of a server or a command: on stderr, one line each, in the chosen format and from the chosen level on.
 *
 * Lines are annotated with their connection, session and process. Colours are for terminals only.
 */
import process from "node:process"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Formatter from "effect/Formatter"
import * as Result from "effect/Result"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"

const levels = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warning: "Warn",
  error: "Error",
  none: "None",
} as const satisfies Readonly<Record<string, LogLevel.LogLevel>>

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
  json: () => toStderr(json),
  pretty: () => Logger.consolePretty({ colors: process.stderr.isTTY === true, mode: "tty" }),
}

const usual = toStderr(Logger.formatLogFmt)

/** One line of JSON, which names the level as it did from the first version on. */
const json = Logger.map(Logger.formatStructured, ({ message, level: logLevel, ...rest }) =>
  Formatter.formatJson({ message, logLevel, ...rest }),
)

const fromEnvironment = (): LogLevel.LogLevel => {
  // Deno may not tell it.
  const name = Result.getOrElse(
    Result.try(() => process.env["PROCWIRE_LOG"]),
    () => undefined,
  )
  return levelNames.find((level) => level === name) === undefined
    ? levels.warning
    : levels[name as keyof typeof levels]
}

/** Logs as logfmt, from the level that `PROCWIRE_LOG` names. */
export const withUsual = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  effect.pipe(
    Effect.provide(replacing([Logger.defaultLogger], usual)),
    Effect.provideService(References.MinimumLogLevel, fromEnvironment()),
  )

/** Logs as the options say; an option that is absent changes nothing. */
export const layer = ({ logFormat, logLevel, onLog }: Options): Layer.Layer<never> =>
  Layer.mergeAll(
    layerLogger({ logFormat, onLog }),
    logLevel === undefined ? Layer.empty : Layer.succeed(References.MinimumLogLevel, levels[logLevel]),
  )

const layerLogger = ({ logFormat, onLog }: Options): Layer.Layer<never> => {
  if (onLog !== undefined) return replacing([Logger.defaultLogger, usual], toFunction(onLog))
  if (logFormat === undefined) return Layer.empty
  // The pretty logger writes by `console`.
  const toStderr = Layer.succeed(Logger.LogToStderr, true)
  return Layer.merge(replacing([usual], formats[logFormat]()), toStderr)
}

/** A logger in place of others; those of the program that embeds this one stay. */
const replacing = (others: ReadonlyArray<unknown>, logger: Logger.Logger<unknown, unknown>) =>
  Layer.effect(
    Logger.CurrentLoggers,
    Effect.map(
      Logger.CurrentLoggers,
      (loggers) => new Set([...loggers].filter((one) => !others.includes(one)).concat(logger)),
    ),
  )

/** Logs to a function. One that throws ends no fiber: it is an uncaught error of the program. */
const toFunction = (onLog: (entry: LogEntry) => void): Logger.Logger<unknown, void> =>
  Logger.make(({ logLevel, message, date, fiber, cause }) => {
    const entry: LogEntry = {
      level: levelNames.find((name) => levels[name] === logLevel) ?? "error",
      message: [message].flat().map(String).join(" "),
      time: date,
      annotations: fiber.getRef(References.CurrentLogAnnotations),
      ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) }),
    }
    try {
      onLog(entry)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  })

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  Object.keys(table) as unknown as readonly [Name, ...ReadonlyArray<Name>]

/** The names of the formats. */
export const formatNames = namesOf(formats)

/** The names of the levels, from the one that logs most. */
export const levelNames = namesOf(levels)
