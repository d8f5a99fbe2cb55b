/** `procwire play`: plays a recording in this terminal. */
import process from "node:process"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Asciicast from "../../../core/client/asciicast/index.ts"
import * as OsError from "../host/OsError.ts"
import * as TextFile from "../host/TextFile.ts"
import * as Command from "./Command.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Recording from "./Recording.ts"
import { type Unable, unable } from "./server/Unable.ts"
import * as Message from "./words/Message.ts"
import * as Control from "./control/Control.ts"
import * as OutFile from "./OutFile.ts"
import * as TargetFlags from "./TargetFlags.ts"

export const play = Command.make({
  name: "play",
  summary: "Play a recording in this terminal",
  usage: "[OPTIONS] FILE",
  flags: {
    speed: {
      ...Flags.text("N", "so many times as fast, as in 2 or 0.5 [default: 1]", { short: "s" }),
      read: (text: string) =>
        !/^\d{1,4}(?:\.\d{1,4})?$/.test(text) || Number(text) === 0
          ? Flags.wrong(`invalid value '${text}' for '--speed': expected a number above 0, as 2 or 0.5`)
          : Effect.succeed(Number(text)),
    },
    "idle-limit": Flags.duration(
      "the longest silence, as in 2s; 0 plays it at once [default: that of the recording, or none]",
      "i",
    ),
  },
  operands: "file",
  text: `
The file is an asciicast of version 2 or 3; - is stdin. Each event is written as it was recorded. In a terminal, the
space bar pauses and goes on, a dot shows the next event meanwhile, and q or Ctrl-C ends.`,
  examples: ["procwire play build.cast", "procwire play --speed 2 --idle-limit 2s build.cast"],
  run: ({ values, operands: [file, more] }) =>
    Effect.gen(function* () {
      if (file === undefined) return yield* Flags.wrong("no file is named: procwire play build.cast")
      if (more !== undefined)
        return yield* Flags.wrong(`unexpected argument '${more}': one recording at a time`)
      const cast = Asciicast.read(yield* textOf(file))
      if (Result.isFailure(cast)) return yield* unable(`cannot play ${file}: ${cast.failure.message}`)
      const { header, events } = cast.success
      const usual = header.idleTimeLimit === undefined ? Infinity : header.idleTimeLimit * 1000
      const { speed = 1, "idle-limit": idleMillis = usual } = values
      notice(header)
      return yield* shown(Recording.steps(events, { speed, idleMillis }), file)
    }),
})

/** The most bytes of a recording: a little less than the longest string of V8. */
const mostBytes = 500 * 1024 * 1024

const textOf = (file: string) =>
  Effect.try({
    try: () => TextFile.readAtMost(file === "-" ? 0 : file, mostBytes),
    catch: (cause) => unable(`cannot read ${file}: ${OsError.fromUnknown(cause).message}`),
  })

const notice = ({ columns, rows }: Asciicast.Header): void => {
  const size = LocalTerminal.size()
  if (size === undefined || (size.columns >= columns && size.rows >= rows)) return
  process.stderr.write(
    Message.rawLine(`the recording has ${columns}x${rows}, this terminal ${size.columns}x${size.rows}`),
  )
}

type Key = "pause" | "step" | "end"

/** Writes each step at its time. The modes that it has switched on are switched off at any end. */
const shown = (steps: ReadonlyArray<Recording.Step>, file: string) =>
  Effect.gen(function* () {
    const modes = yield* LocalTerminal.modes
    const keys = yield* Queue.unbounded<Key>()
    if (file !== "-" && LocalTerminal.isTerminal() && LocalTerminal.size() !== undefined) {
      yield* LocalTerminal.rawMode
      yield* Effect.forkScoped(
        Stream.runForEach(LocalTerminal.input, (bytes) => Queue.offerAll(keys, keysOf(bytes))),
      )
    }
    const pace = new Pace(yield* Clock.currentTimeMillis)
    for (const { at, text } of steps) {
      if (!(yield* pace.until(at, keys))) return 0
      const bytes = new TextEncoder().encode(text)
      modes.scan(bytes)
      yield* LocalTerminal.write("stdout", bytes)
    }
    return 0
  })

const keysOf = (bytes: Uint8Array): ReadonlyArray<Key> =>
  [...bytes].flatMap((byte): ReadonlyArray<Key> => {
    const key = String.fromCharCode(byte)
    return key === " " ? ["pause"] : key === "." ? ["step"] : key === "q" || byte === 3 ? ["end"] : []
  })

/** When the next step is due, by the keys that were typed meanwhile. */
class Pace {
  /** When the recording began, by the clock; later by each pause. */
  private begin: number
  private paused: number | undefined

  constructor(begin: number) {
    this.begin = begin
  }

  /** Completes when that step is due: with false if nothing more shall be shown. */
  until(at: number, keys: Queue.Dequeue<Key>): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        const left = this.paused === undefined ? this.begin + at - now : Infinity
        if (left <= 0 && Queue.sizeUnsafe(keys) === 0) return true
        const wait = left === Infinity ? Effect.never : Effect.sleep(Math.max(0, left))
        const key = yield* Effect.raceFirst(Queue.take(keys), Effect.as(wait, undefined))
        if (key === "end") return false
        if (key === "pause") this.toggle(yield* Clock.currentTimeMillis)
        if (key === "step" && this.paused !== undefined) {
          // It is shown now, and what follows keeps its distance.
          this.begin = this.paused - at
          return true
        }
      }
    })
  }

  private toggle(now: number): void {
    if (this.paused !== undefined) this.begin += now - this.paused
    this.paused = this.paused === undefined ? now : undefined
  }
}

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
      yield* Control.name(given.operands)
      if (output === "-" && process.stdout.isTTY)
        return yield* Flags.wrong("stdout is a terminal: give a file with -o")
      if (output === "-" && json) return yield* Flags.wrong("--json needs a file: give one with -o")
      const { about, client, row } = yield* Control.findOnly(given)
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
