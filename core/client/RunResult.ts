/** The end of a process with its output: the result of `run` and `$`, and the runs again of what has failed. */
import type { EndedBy } from "../protocol/Process.ts"
import * as Signals from "../protocol/Signals.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import type { CollectedOutput } from "./CollectedOutput.ts"
import type { Exited } from "./ProcessEvent.ts"
import * as Effect from "effect/Effect"
import * as EffectResult from "effect/Result"
import * as OptionNames from "./OptionNames.ts"

/** The form of output in a result: text, or with `encoding: "buffer"` bytes. */
export type Encoding = "utf8" | "buffer"

/** Output in an encoding. */
export type Content<E extends Encoding> = E extends "buffer" ? Uint8Array : string

/** The result of `run` and of `$`: its output is text, or with `encoding: "buffer"` bytes. */
export interface Result<C extends string | Uint8Array = string> {
  /** 128 + n for death by signal n. */
  readonly exitCode: number
  /** As UTF-8, or bytes. Has the output of a terminal. */
  readonly stdout: C
  /** As UTF-8, or bytes. */
  readonly stderr: C
  /** Both in the order in which the server has read them, as UTF-8, or bytes. */
  readonly all: C
  /** The bytes of stdout, as they came. */
  readonly stdoutBytes: Uint8Array
  /** The bytes of stderr, as they came. */
  readonly stderrBytes: Uint8Array
  /** The bytes of both, in the order in which the server has read them. */
  readonly allBytes: Uint8Array
  /** The signal that the process died of. Absent if it exited, and on servers without `processDeadlines`. */
  readonly signal?: Signals.PosixSignal
  /** The cause of its end. Absent on servers without `processDeadlines`. */
  readonly endedBy?: EndedBy
  /** True if it was ended because `timeout` or `idleTimeout` had passed. */
  readonly timedOut: boolean
  /** True if there was more output than `maxBuffer`; the process was terminated then. */
  readonly truncated: boolean
  /** Milliseconds from the start to the end, as this client saw them. */
  readonly durationMs: number
  /** The number of runs, with `retry`. */
  readonly attempts?: number
  /** Of commands that were joined by `pipe`: the results of those before the last one, in their order. */
  readonly pipedFrom?: ReadonlyArray<Result<C>>
}

/** The known facts at the end of a process. */
interface Ended {
  readonly exitCode: number
  readonly exited: Exited | undefined
  readonly output: CollectedOutput
  readonly truncated: boolean
  readonly durationMs: number
  /** The platform of the server, by which signals have their names. */
  readonly platform: string
}

export const make = ({ exitCode, exited, output, truncated, durationMs, platform }: Ended): Result => {
  const { endedBy, signal } = exited ?? {}
  const texts: { stdout?: string; stderr?: string; all?: string } = {}
  return {
    exitCode,
    get stdout() {
      return (texts.stdout ??= output.text("stdout"))
    },
    get stderr() {
      return (texts.stderr ??= output.text("stderr"))
    },
    get all() {
      return (texts.all ??= output.all())
    },
    get stdoutBytes() {
      return output.bytes("stdout")
    },
    get stderrBytes() {
      return output.bytes("stderr")
    },
    get allBytes() {
      return output.allBytes()
    },
    ...(signal === undefined ? {} : { signal: Signals.toPosix(signal, platform) }),
    ...(endedBy === undefined ? {} : { endedBy }),
    timedOut: endedBy === "timeout" || endedBy === "idleTimeout",
    truncated,
    durationMs,
  }
}

/** A result that is followed by those of the commands before it. */
export const pipedFrom = (result: Result, before: ReadonlyArray<Result>): Result =>
  withOthers(result, { pipedFrom: { value: before, enumerable: true } })

/** The result, with its output in an encoding. */
export const encoded = <E extends Encoding>(result: Result, encoding: E | undefined): Result<Content<E>> =>
  (encoding === "buffer" ? inBytes(result) : result) as Result<Content<E>>

const inBytes = (result: Result): Result<Uint8Array> =>
  withOthers<Result<Uint8Array>>(result, {
    stdout: { get: () => result.stdoutBytes, enumerable: true },
    stderr: { get: () => result.stderrBytes, enumerable: true },
    all: { get: () => result.allBytes, enumerable: true },
    ...(result.pipedFrom === undefined
      ? {}
      : { pipedFrom: { value: result.pipedFrom.map(inBytes), enumerable: true } }),
  })

/** The same properties, which are made when they are read, but for those that are given. */
const withOthers = <R>(result: Result, others: PropertyDescriptorMap): R =>
  Object.defineProperties({} as R, { ...Object.getOwnPropertyDescriptors(result), ...others })

/** True for an end that is a failure where `reject` asks for an error. */
export const isFailure = ({ exitCode, timedOut, truncated }: Result): boolean =>
  exitCode !== 0 || timedOut || truncated

/** True for a command that may do better when it is run again, or one that was piped into it. */
export const mayDoBetter = (result: Result): boolean => {
  const { truncated, pipedFrom = [] } = result
  // The end of a reader that has enough is no failure of the writer.
  const isCut = ({ signal }: Result) => signal === "SIGPIPE"
  return !truncated && (isFailure(result) || pipedFrom.some((one) => isFailure(one) && !isCut(one)))
}

/** A result of the last of so many attempts. */
export const attempted = (result: Result, attempts: number): Result =>
  withOthers(result, { attempts: { value: attempts, enumerable: true } })

/** The end of a process, in words. */
export const ending = ({ exitCode, signal, endedBy, timedOut }: Result): string => {
  if (timedOut) return `was ended by its ${endedBy ?? "timeout"}`
  return signal === undefined ? `exited with ${exitCode}` : `died of ${signal}`
}

/** The error of the last of so many attempts. */
export const failedAgain = (error: ClientError, attempts: number): ClientError => {
  const { reason, message, result, cause } = error
  return clientError(reason, `after ${attempts} attempts: ${message}`, {
    result: attempted(result as Result, attempts),
    cause,
  })
}

/** The error of a process that has failed: how it has ended, and the end of what it had to say about it. */
export const failed = (argv: ReadonlyArray<string>, result: Result): ClientError => {
  const { exitCode, signal, endedBy } = result
  const end = endOf(result.stderr)
  return clientError(
    "Failed",
    `${argv[0] ?? ""} ${ending(result)}${end === "" ? "" : `:${end.includes("\n") ? "\n" : " "}${end}`}`,
    {
      result,
      cause: {
        exitCode,
        ...(signal === undefined ? {} : { signal }),
        ...(endedBy === undefined ? {} : { endedBy }),
      },
    },
  )
}

/** The most of stderr that a message has, in characters. */
const longestEnd = 1000

/** The last lines of a text that has an end worth telling. */
const endOf = (text: string): string => {
  const end = text.trimEnd()
  if (end.length <= longestEnd) return end
  const last = end.slice(-longestEnd)
  const border = last.indexOf("\n")
  return border < 0 ? `…${last}` : last.slice(border + 1)
}

/** Options of `retry`. */
export interface RetryOptions {
  /** The most times that it is run again, from 1. */
  readonly times: number
  /** Milliseconds from the end of one run to the start of the next. Default: 0. */
  readonly delayMs?: number
}

const retryNames = { times: true, delayMs: true } satisfies OptionNames.Names<RetryOptions>

/** The number of further runs, and the milliseconds before each. */
export interface Retry {
  readonly times: number
  readonly delayMs: number
}

/** The option, checked; `onlyOnce` is why nothing can be run again. A failure is why it cannot be. */
export const parseRetry = (
  given: number | RetryOptions | undefined,
  onlyOnce: () => string | undefined,
): EffectResult.Result<Retry | undefined, ClientError> => {
  if (given === undefined) return EffectResult.succeed(undefined)
  const unknown = typeof given === "number" ? undefined : OptionNames.refusal("retry", retryNames, given)
  if (unknown !== undefined) return EffectResult.fail(unknown)
  const { times, delayMs = 0 }: RetryOptions = typeof given === "number" ? { times: given } : given
  if (!(Number.isSafeInteger(times) && times >= 1 && Number.isFinite(delayMs) && delayMs >= 0)) {
    const expected = "expected how often to run it again, from 1, or { times: 3, delayMs: 1000 }"
    return EffectResult.fail(OptionNames.invalid(`retry is ${OptionNames.shown(given)}: ${expected}`))
  }
  const why = onlyOnce()
  return why === undefined
    ? EffectResult.succeed({ times, delayMs })
    : EffectResult.fail(OptionNames.invalid(why))
}

/**
 * Runs `once`, and again while that fails with `Failed` or succeeds with a failure, unless `given` up. A result, and
 * the error, tell the attempts.
 */
export const runAgain = (
  once: Effect.Effect<Result, ClientError>,
  { times, delayMs }: Retry,
  givenUp: () => boolean,
): Effect.Effect<Result, ClientError> => {
  const attempt = (attempts: number): Effect.Effect<Result, ClientError> =>
    Effect.flatMap(Effect.result(once), (ended) => {
      const failed = EffectResult.match(ended, {
        onFailure: ({ reason }) => reason === "Failed",
        onSuccess: mayDoBetter,
      })
      if (failed && attempts <= times && !givenUp())
        return Effect.delay(
          Effect.suspend(() => attempt(attempts + 1)),
          delayMs,
        )
      return EffectResult.match(ended, {
        onFailure: (error) => Effect.fail(attempts === 1 ? error : failedAgain(error, attempts)),
        onSuccess: (result) => Effect.succeed(attempted(result, attempts)),
      })
    })
  return Effect.suspend(() => attempt(1))
}
