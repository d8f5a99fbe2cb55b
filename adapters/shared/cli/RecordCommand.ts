/** `procwire record`: a recording of a process, from its begin, until it ends. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Platform } from "../Platform.ts"
import * as CastFlags from "./CastFlags.ts"
import * as Control from "./control/Control.ts"
import * as Join from "./control/Join.ts"
import * as Operands from "./control/Operands.ts"
import * as Flags from "./Flags.ts"
import type * as ForwardedSignals from "./ForwardedSignals.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as OutFile from "./OutFile.ts"
import type { Unable } from "./server/Unable.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Failure from "./words/Failure.ts"

const command = "procwire record"

const flags = {
  output: {
    type: "string",
    short: "o",
    shows: "FILE",
    help: "where it goes; - is stdout [default: stdout, where that is no terminal]",
    completes: "file",
  },
  overwrite: { type: "boolean", help: "replace a file that is there" },
  ...CastFlags.flags,
  title: { type: "string", shows: "TEXT", help: "what players show above it" },
  "idle-limit": {
    type: "string",
    shows: "DURATION",
    help: "longer silence is played as this; the recording has the times as they were",
  },
  json: {
    type: "boolean",
    help: "print { file, format, events, closed } at the end; closed: the process is",
  },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "record",
  summary: "Record a process, from its begin until it ends or Ctrl-C",
  usage: "[OPTIONS] NAME",
  flags,
  operands: "process",
  text: `
The recording (asciicast, as asciinema plays it) has each chunk of the output at the millisecond when the server has
taken it, what was printed before this command included, and each size of the terminal. The process does not notice.
Ctrl-C ends the recording and leaves the process; what is in the file is whole at any time.`,
  examples: [
    "procwire record web -o web.cast",
    "procwire record build -o build.cast --format v3 --idle-limit 2s",
    "procwire play build.cast",
  ],
}

/** Records until the process has closed, or the first signal has come. */
export const record = (
  _: Platform,
  args: ReadonlyArray<string>,
  asked: Effect.Effect<ForwardedSignals.Name>,
) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(command, args, flags)
    const ref = yield* Operands.one(command, operands)
    const { output = "-", json = false } = values
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    if (output === "-" && process.stdout.isTTY)
      return yield* wrong("stdout is a terminal: give a file with -o")
    if (output === "-" && json) return yield* wrong("--json needs a file: give one with -o")
    const version = yield* CastFlags.readFormat(command, values.format)
    const idle = values["idle-limit"]
    const idleMs = idle === undefined ? undefined : yield* Flags.duration(command, "--idle-limit", idle)
    const control = yield* Control.open(command, values)
    const row = yield* Control.find(control, ref)
    if (control.client === undefined) return 1
    const about = Failure.about(ref, row)
    const child = yield* about(Join.look(control.client, row))
    const file = output === "-" ? stdout : yield* OutFile.grow(output, values.overwrite === true)
    let [lines, closed] = [0, true]
    const until = Effect.tap(asked, () => Effect.sync(() => (closed = false)))
    const idleTimeLimit = idleMs === undefined ? undefined : idleMs / 1000
    const recording = CastFlags.linesOf(child, row, { version, title: values.title, idleTimeLimit, until })
    yield* about(
      Stream.runForEach(recording, (text): Effect.Effect<void, LocalTerminal.OutputFailed | Unable> => {
        lines += text.split("\n").length - 1
        return file.append(text)
      }),
    )
    const events = lines - 1
    if (json)
      yield* stdout.append(`${JSON.stringify({ file: output, format: `v${version}`, events, closed })}\n`)
    else if (process.stderr.isTTY && output !== "-")
      process.stderr.write(`recorded ${events} events to ${output}; procwire play ${output} plays it\n`)
    return 0
  }).pipe(Effect.scoped)

const stdout = {
  append: (text: string) => LocalTerminal.write("stdout", new TextEncoder().encode(text)),
}
