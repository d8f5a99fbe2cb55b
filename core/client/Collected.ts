/** Runs a process to its end and collects its output, within a bound. */
import { utf8Decoder } from "../protocol/Bytes.ts"
import { ClientError } from "./ClientError.ts"
import * as OptionNames from "./OptionNames.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"
import { outputOf } from "./Promises.ts"
import * as StartOptions from "./StartOptions.ts"

/** What to run. */
export interface RunOptions extends StartOptions.StartOptions {
  /**
   * The most bytes of output that are collected, for stdout and stderr each. A process with more is terminated, and
   * the promise rejects with `OutputTooLarge`. Default: 64 MiB; at most 500 MiB, which is what a string can hold.
   */
  readonly maxBuffer?: number
}

/** The result of `run`. */
export interface Finished {
  /** 128 + n for death by signal n. */
  readonly exitCode: number
  /** As UTF-8. Has the output of a terminal. */
  readonly stdout: string
  /** As UTF-8. */
  readonly stderr: string
}

/** The part of a process that is used here. */
interface Started extends AsyncIterable<ProcessEvent> {
  readonly exitCode: Promise<number>
  terminate(): Promise<boolean>
}

/** The default of `maxBuffer`, in bytes. */
export const defaultMaxBuffer = 64 * 1024 * 1024

/** The largest `maxBuffer`, in bytes: Node has no longer strings. */
export const largestMaxBuffer = 500 * 1024 * 1024

const names = { ...StartOptions.names, maxBuffer: true } satisfies OptionNames.Names<RunOptions>

/** Starts a process with `start`, and completes when it has closed. */
export const run = async (
  start: (options: StartOptions.StartOptions) => Promise<Started>,
  options: RunOptions,
): Promise<Finished> => {
  const refusal = OptionNames.refusal("run", names, options)
  if (refusal !== undefined) throw refusal
  const { maxBuffer = defaultMaxBuffer, ...starting } = options
  if (!(Number.isInteger(maxBuffer) && maxBuffer >= 0 && maxBuffer <= largestMaxBuffer)) {
    throw OptionNames.invalid(
      `maxBuffer is ${String(maxBuffer)}: expected bytes from 0 to ${largestMaxBuffer} (500 MiB)`,
    )
  }
  return collect(await start(starting), maxBuffer)
}

const collect = async (process: Started, maxBuffer: number): Promise<Finished> => {
  const decoders = { stdout: utf8Decoder(), stderr: utf8Decoder() }
  const texts = { stdout: "", stderr: "" }
  const sizes = { stdout: 0, stderr: 0 }
  for await (const event of process) {
    const output = outputOf(event, undefined)
    if (output === undefined) continue
    const stream = output.stream === "stderr" ? "stderr" : "stdout"
    sizes[stream] += output.bytes.length
    if (sizes[stream] > maxBuffer) {
      await process.terminate()
      throw tooLarge(stream, maxBuffer)
    }
    texts[stream] += decoders[stream].decode(output.bytes, { stream: true })
  }
  return {
    exitCode: await process.exitCode,
    stdout: texts.stdout + decoders.stdout.decode(),
    stderr: texts.stderr + decoders.stderr.decode(),
  }
}

const tooLarge = (stream: "stdout" | "stderr", maxBuffer: number) =>
  new ClientError({
    reason: "OutputTooLarge",
    message:
      `${stream} has more than the ${maxBuffer} bytes of maxBuffer, and the process was terminated: ` +
      "start() it and read text() or output() piece by piece, or run() it with a larger maxBuffer",
  })
