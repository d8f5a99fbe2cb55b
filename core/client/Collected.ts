/** Runs a process to its end and collects its output, within a bound. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { utf8, utf8Decoder } from "../protocol/Bytes.ts"
import type { EndedBy } from "../protocol/Process.ts"
import * as Signals from "../protocol/Signals.ts"
import { ClientError } from "./ClientError.ts"
import * as OptionNames from "./OptionNames.ts"
import type { Exited, ProcessEvent } from "./ProcessEvent.ts"
import { outputOf } from "./Promises.ts"
import * as StartOptions from "./StartOptions.ts"

/** What to run. */
export interface RunOptions extends StartOptions.StartOptions {
  /**
   * The most bytes of output that are collected, for stdout and stderr each. A process with more is terminated, and
   * the promise rejects with `OutputTooLarge`. Default: 64 MiB; at most 500 MiB, which is what a string can hold.
   */
  readonly maxBuffer?: number
  /** What the process reads from stdin, which ends behind it. A string is sent as UTF-8. Default: stdin is empty. */
  readonly input?: string | Uint8Array
  /** `timeoutMs` as a duration: milliseconds, or a text such as `30 seconds`. Default: no bound. */
  readonly timeout?: Duration.DurationInput
  /** `idleTimeoutMs` as a duration. Default: no bound. */
  readonly idleTimeout?: Duration.DurationInput
  /**
   * True: rejects with `Failed` unless the process exits with 0. False: does not even reject with `OutputTooLarge`, and
   * the result has the first `maxBuffer` bytes and `truncated`. Default: rejects with `OutputTooLarge` alone.
   */
  readonly reject?: boolean
}

/** The result of `run`. */
export interface Finished {
  /** 128 + n for death by signal n. */
  readonly exitCode: number
  /** As UTF-8. Has the output of a terminal. */
  readonly stdout: string
  /** As UTF-8. */
  readonly stderr: string
  /** The signal that the process died of. Absent if it exited, and on servers without `processDeadlines`. */
  readonly signal?: Signals.PosixSignal
  /** What has ended the process. Absent on servers without `processDeadlines`. */
  readonly endedBy?: EndedBy
  /** True if it was ended because `timeout` or `idleTimeout` had passed. */
  readonly timedOut: boolean
  /** True if there was more output than `maxBuffer`; the process was terminated then. */
  readonly truncated: boolean
  /** Milliseconds from the start to the end, as this client saw them. */
  readonly durationMs: number
}

/** The part of a process that is used here. */
interface Started extends AsyncIterable<ProcessEvent> {
  readonly exitCode: Promise<number>
  write(data: Uint8Array): Promise<void>
  closeStdin(): Promise<void>
  terminate(): Promise<boolean>
}

/** What is used of the client. */
interface Services {
  readonly start: (options: StartOptions.StartOptions) => Promise<Started>
  /** Milliseconds of the clock. */
  readonly now: () => number
  /** The platform of the server, by which signals have their names. */
  readonly platform: string
}

/** The default of `maxBuffer`, in bytes. */
export const defaultMaxBuffer = 64 * 1024 * 1024

/** The largest `maxBuffer`, in bytes: Node has no longer strings. */
export const largestMaxBuffer = 500 * 1024 * 1024

const names = {
  ...StartOptions.names,
  maxBuffer: true,
  input: true,
  timeout: true,
  idleTimeout: true,
  reject: true,
} satisfies OptionNames.Names<RunOptions>

/** Starts a process with `start`, and completes when it has closed. */
export const run = async ({ start, now, platform }: Services, options: RunOptions): Promise<Finished> => {
  const refusal = OptionNames.refusal("run", names, options)
  if (refusal !== undefined) throw refusal
  const { maxBuffer = defaultMaxBuffer, input, timeout, idleTimeout, reject, ...starting } = options
  if (!(Number.isInteger(maxBuffer) && maxBuffer >= 0 && maxBuffer <= largestMaxBuffer)) {
    throw OptionNames.invalid(
      `maxBuffer is ${String(maxBuffer)}: expected bytes from 0 to ${largestMaxBuffer} (500 MiB)`,
    )
  }
  const begin = now()
  const process = await start({
    ...starting,
    ...millis("timeout", "timeoutMs", timeout),
    ...millis("idleTimeout", "idleTimeoutMs", idleTimeout),
    ...(input === undefined ? {} : { pipeStdin: true }),
  })
  // A process may end without reading it.
  if (input !== undefined) feed(process, input).catch(() => {})
  const { exited, truncated, ...texts } = await collect(process, maxBuffer, reject)
  const { endedBy, signal } = exited ?? {}
  const result: Finished = {
    exitCode: await process.exitCode,
    ...texts,
    ...(signal === undefined ? {} : { signal: Signals.toPosix(signal, platform) }),
    ...(endedBy === undefined ? {} : { endedBy }),
    timedOut: endedBy === "timeout" || endedBy === "idleTimeout",
    truncated,
    durationMs: now() - begin,
  }
  if (reject === true && (result.exitCode !== 0 || result.timedOut)) throw failed(options.argv, result)
  return result
}

const millis = (name: string, field: string, value: Duration.DurationInput | undefined) => {
  if (value === undefined) return {}
  const duration = Option.map(Duration.decodeUnknown(value), Duration.toMillis)
  if (Option.isSome(duration) && duration.value >= 1) return { [field]: Math.ceil(duration.value) }
  throw OptionNames.invalid(`${name} is ${String(value)}: expected milliseconds from 1, or "30 seconds"`)
}

const feed = async (process: Started, input: string | Uint8Array): Promise<void> => {
  await process.write(typeof input === "string" ? utf8.encode(input) : input)
  await process.closeStdin()
}

const collect = async (process: Started, maxBuffer: number, reject: boolean | undefined) => {
  const decoders = { stdout: utf8Decoder(), stderr: utf8Decoder() }
  const texts = { stdout: "", stderr: "" }
  const sizes = { stdout: 0, stderr: 0 }
  let truncated = false
  let exited: Exited | undefined
  for await (const event of process) {
    if (event.kind === "exited") exited = event
    const output = outputOf(event, undefined)
    if (output === undefined) continue
    const stream = output.stream === "stderr" ? "stderr" : "stdout"
    const room = maxBuffer - sizes[stream]
    sizes[stream] += output.bytes.length
    if (output.bytes.length > room && !truncated) {
      truncated = true
      await process.terminate()
      if (reject !== false) throw tooLarge(stream, maxBuffer)
    }
    const bytes = output.bytes.subarray(0, Math.max(0, room))
    texts[stream] += decoders[stream].decode(bytes, { stream: true })
  }
  return {
    stdout: texts.stdout + decoders.stdout.decode(),
    stderr: texts.stderr + decoders.stderr.decode(),
    truncated,
    exited,
  }
}

const failed = (argv: ReadonlyArray<string>, result: Finished) => {
  const { exitCode, signal, endedBy, stderr } = result
  const how =
    endedBy === "timeout" || endedBy === "idleTimeout"
      ? `was ended by its ${endedBy}`
      : signal === undefined
        ? `exited with ${exitCode}`
        : `died of ${signal}`
  const last = stderr.trimEnd().split("\n").at(-1) ?? ""
  return new ClientError({
    reason: "Failed",
    message: `${argv[0] ?? ""} ${how}${last === "" ? "" : `: ${last.slice(0, 500)}`}`,
    result,
  })
}

const tooLarge = (stream: "stdout" | "stderr", maxBuffer: number) =>
  new ClientError({
    reason: "OutputTooLarge",
    message:
      `${stream} has more than the ${maxBuffer} bytes of maxBuffer, and the process was terminated: ` +
      "start() it and read text() or output() piece by piece, or run() it with a larger maxBuffer",
  })
