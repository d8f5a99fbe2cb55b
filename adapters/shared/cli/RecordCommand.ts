/** `procwire record`: a recording of a process, from its begin, until it ends. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as OutFile from "./OutFile.ts"
import * as Recording from "./Recording.ts"
import type { Unable } from "./server/Unable.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Failure from "./words/Failure.ts"

/** `procwire record`: records until the process has closed, or the first signal has come. */
export const record = Command.make({
  name: "record",
  summary: "Record a process, from its begin until it ends or Ctrl-C",
  usage: "[OPTIONS] NAME",
  flags: {
    output: Flags.file("where it goes; - is stdout [default: stdout, where that is no terminal]", "o"),
    overwrite: Flags.toggle("replace a file that is there"),
    format: Recording.format(Recording.formatHelp),
    title: Flags.text("TEXT", "what players show above it"),
    "idle-limit": Flags.duration(
      "longer silence is played as this; the recording has the times as they were",
    ),
    json: Flags.toggle("print { file, format, events, closed } at the end; closed: the process is"),
    ...TargetFlags.flags,
  },
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
  ends: true,
  endsWell: true,
  run: (given) =>
    Effect.gen(function* () {
      const { output = "-", json = false, overwrite = false, format: version = 2, title } = given.values
      const { "idle-limit": idleMs } = given.values
      const ref = yield* Control.name(given.operands)
      if (output === "-" && process.stdout.isTTY)
        return yield* Flags.wrong("stdout is a terminal: give a file with -o")
      if (output === "-" && json) return yield* Flags.wrong("--json needs a file: give one with -o")
      const { client, row } = yield* Control.find(yield* Control.open(given), ref)
      const about = Failure.about(ref, row)
      const child = yield* about(Control.look(client, row))
      const append = output === "-" ? LocalTerminal.print : yield* OutFile.grow(output, overwrite)
      let lines = 0
      let closed = true
      const until = Effect.tap(given.asked, () => Effect.sync(() => (closed = false)))
      const idleTimeLimit = idleMs === undefined ? undefined : idleMs / 1000
      const recording = Recording.linesOf(child, row, { version, title, idleTimeLimit, until })
      yield* about(
        Stream.runForEach(recording, (text): Effect.Effect<void, LocalTerminal.OutputFailed | Unable> => {
          lines += text.split("\n").length - 1
          return append(text)
        }),
      )
      const events = lines - 1
      if (json)
        yield* LocalTerminal.print(
          `${JSON.stringify({ file: output, format: `v${version}`, events, closed })}\n`,
        )
      else if (process.stderr.isTTY && output !== "-")
        process.stderr.write(`recorded ${events} events to ${output}; procwire play ${output} plays it\n`)
      return 0
    }),
})
