/** The options of `run`, and what becomes of them: a start, and how its output is collected. */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Option from "effect/Option"
import type { ClientError } from "./ClientError.ts"
import * as Input from "./Input.ts"
import * as OptionNames from "./OptionNames.ts"
import type { Output } from "./ProcessEvent.ts"
import type { Encoding } from "./RunResult.ts"
import * as RunResult from "./RunResult.ts"
import * as StartOptions from "./StartOptions.ts"
import * as Stdio from "./Stdio.ts"

/** Options of `run`. */
export interface RunOptions<E extends Encoding = "utf8">
  extends StartOptions.StartOptions, Stdio.StdioOptions {
  /**
   * The form of `stdout`, `stderr` and `all` of the result: `utf8` is text, `buffer` is bytes (`Uint8Array`); the
   * `result` of an error is always text. Default: `utf8`.
   */
  readonly encoding?: E
  /**
   * The most bytes of output that are collected, for stdout and stderr each. A process with more is terminated, and
   * the promise rejects with `OutputTooLarge`. Default: 64 MiB; at most 500 MiB, which is what a string can hold.
   */
  readonly maxBuffer?: number
  /**
   * The stdin of the process, which ends behind it: a string (sent as UTF-8), bytes, a `ReadableStream`, a
   * `Blob`, an iterable of strings or bytes, or `{ file }`, a file of the server's host. It is asked for no faster than
   * the process reads. Default: stdin is empty.
   */
  readonly input?: Input.Input
  /** `timeoutMs` as a duration: milliseconds, or a text such as `30 seconds`. Default: no bound. */
  readonly timeout?: Duration.Input
  /** `idleTimeoutMs` as a duration. Default: no bound. */
  readonly idleTimeout?: Duration.Input
  /**
   * True: rejects with `Failed` unless the process exits with 0. False: does not even reject with `OutputTooLarge`, and
   * the result has the first `maxBuffer` bytes and `truncated`. Default: rejects with `OutputTooLarge` alone.
   */
  readonly reject?: boolean
  /**
   * Runs it again when it ends but by an exit with 0, at most so many times; also with `reject: false`. The result has
   * `attempts`, and the message of the error says them. A failed start is not tried again. Refused with a
   * `processId`, and with input that can be read only once. Default: never.
   */
  readonly retry?: number | RunResult.RetryOptions
  /**
   * Prints the command (`$ …`, as a shell would take it), and how and after which time it has ended (`# …`), on the
   * stderr of this program. A page has none, and refuses it. Default: false.
   */
  readonly verbose?: boolean
  /** Called with each piece of output as it comes; what it throws ends the process. Default: nothing. */
  readonly onOutput?: (output: Output) => void
}

/** The default of `maxBuffer`, in bytes. */
export const defaultMaxBuffer = 64 * 1024 * 1024

/** The largest `maxBuffer`, in bytes: Node has no longer strings. */
export const largestMaxBuffer = 500 * 1024 * 1024

/** Every option of `run`. */
export const names = {
  ...StartOptions.names,
  ...Stdio.names,
  encoding: true,
  maxBuffer: true,
  input: true,
  timeout: true,
  idleTimeout: true,
  reject: true,
  retry: true,
  verbose: true,
  onOutput: true,
} satisfies OptionNames.Names<RunOptions<Encoding>>

/** Options of `run`, checked. */
export interface Settings {
  readonly start: StartOptions.StartOptions
  readonly input: Input.Input | undefined
  readonly stdio: Stdio.Stdio
  readonly maxBuffer: number
  readonly reject: boolean | undefined
  readonly retry: RunResult.Retry | undefined
  readonly verbose: boolean
  readonly onOutput: ((output: Output) => void) | undefined
}

/** The options, checked. A failure is why they cannot be. */
export const parse = (options: RunOptions<Encoding>): Result.Result<Settings, ClientError> => {
  const unknown = OptionNames.refusalOfStart("run", names, options)
  if (unknown !== undefined) return Result.fail(unknown)
  const {
    encoding = "utf8",
    maxBuffer = defaultMaxBuffer,
    input,
    timeout,
    idleTimeout,
    reject,
    retry,
    verbose = false,
    onOutput,
    stdin,
    stdout,
    stderr,
    stdio: all,
    ...starting
  } = options ?? {}
  if (!(Number.isInteger(maxBuffer) && maxBuffer >= 0 && maxBuffer <= largestMaxBuffer)) {
    const expected = `expected bytes from 0 to ${largestMaxBuffer} (500 MiB)`
    return Result.fail(OptionNames.invalid(`maxBuffer is ${String(maxBuffer)}: ${expected}`))
  }
  if (encoding !== "utf8" && encoding !== "buffer") {
    const given = OptionNames.shown(encoding)
    return Result.fail(OptionNames.invalid(`encoding is ${given}: expected "utf8" or "buffer"`))
  }
  const refused = Input.refusal(input)
  if (refused !== undefined) return Result.fail(refused)
  const parts = Result.all([
    millis("timeout", "timeoutMs", timeout),
    millis("idleTimeout", "idleTimeoutMs", idleTimeout),
    Stdio.parse({ stdin, stdout, stderr, stdio: all } as Stdio.StdioOptions, {
      hasInput: input !== undefined,
      tty: starting.tty === true,
    }),
    RunResult.parseRetry(retry, () => onlyOnce(options)),
  ])
  return Result.map(parts, ([most, idle, stdio, again]) => ({
    start: {
      ...starting,
      ...most,
      ...idle,
      ...(input === undefined && !stdio.inherits ? {} : { pipeStdin: true }),
    },
    input,
    stdio,
    maxBuffer,
    reject,
    retry: again,
    verbose,
    onOutput,
  }))
}

/** The reason for which it cannot be run again. */
const onlyOnce = (options: RunOptions<Encoding>): string | undefined => {
  const { processId, input } = options
  if (processId !== undefined)
    return "retry and processId exclude each other: each attempt is another process"
  const inherits = Stdio.readsProgram(options, input !== undefined)
  if (!inherits && Input.isRepeatable(input)) return undefined
  const expected = "a string, bytes, an array, a Blob or { file }"
  return `retry needs input that can be read again: ${expected}, not ${inherits ? "stdin" : "a stream"}`
}

const millis = (name: string, field: string, value: Duration.Input | undefined) => {
  if (value === undefined) return Result.succeed({})
  const duration = Option.map(Duration.fromInput(value), Duration.toMillis)
  return Option.isSome(duration) && duration.value >= 1
    ? Result.succeed({ [field]: Math.ceil(duration.value) })
    : Result.fail(
        OptionNames.invalid(`${name} is ${String(value)}: expected milliseconds from 1, or "30 seconds"`),
      )
}
