/** `procwire play`: plays a recording in this terminal. */
import process from "node:process"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Asciicast from "../../../core/client/asciicast/index.ts"
import * as OsError from "../host/OsError.ts"
import * as TextFile from "../host/TextFile.ts"
import type { Platform } from "../Platform.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { Unable } from "./server/Unable.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as Message from "./words/Message.ts"
import * as Pacing from "./words/Pacing.ts"

const command = "procwire play"

const flags = {
  speed: {
    type: "string",
    short: "s",
    shows: "N",
    help: "so many times as fast, as in 2 or 0.5 [default: 1]",
  },
  "idle-limit": {
    type: "string",
    short: "i",
    shows: "DURATION",
    help: "the longest silence, as in 2s; 0 plays it at once [default: that of the recording, or none]",
  },
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "play",
  summary: "Play a recording in this terminal",
  usage: "[OPTIONS] FILE",
  flags,
  operands: "file",
  text: `
The file is an asciicast of version 2 or 3; - is stdin. Each event is written as it was recorded. In a terminal, the
space bar pauses and goes on, a dot shows the next event meanwhile, and q or Ctrl-C ends.`,
  examples: ["procwire play build.cast", "procwire play --speed 2 --idle-limit 2s build.cast"],
}

/** Plays it to its end, or until it is left. */
export const play = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(command, args, flags)
    const [file, more] = operands
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    if (file === undefined) return yield* wrong("no file is named: procwire play build.cast")
    if (more !== undefined) return yield* wrong(`unexpected argument '${more}': one recording at a time`)
    const { speed = "1", "idle-limit": idle } = values
    if (!/^\d{1,4}(?:\.\d{1,4})?$/.test(speed) || Number(speed) === 0)
      return yield* wrong(`invalid value '${speed}' for '--speed': expected a number above 0, as 2 or 0.5`)
    const limit = idle === undefined ? undefined : yield* Flags.duration(command, "--idle-limit", idle)
    const text = yield* textOf(file)
    const cast = Asciicast.read(text)
    if (Either.isLeft(cast))
      return yield* new Unable({ message: `cannot play ${file}: ${cast.left.message}` })
    const { header, events } = cast.right
    const usual = header.idleTimeLimit === undefined ? Infinity : header.idleTimeLimit * 1000
    notice(header)
    return yield* shown(Pacing.steps(events, { speed: Number(speed), idleMillis: limit ?? usual }), file)
  }).pipe(Effect.scoped)

/** The most bytes of a recording: a little less than the longest string of V8. */
const mostBytes = 500 * 1024 * 1024

const textOf = (file: string) =>
  Effect.try({
    try: () => TextFile.readAtMost(file === "-" ? 0 : file, mostBytes),
    catch: (cause) => new Unable({ message: `cannot read ${file}: ${OsError.fromUnknown(cause).message}` }),
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
const shown = (steps: ReadonlyArray<Pacing.Step>, file: string) =>
  Effect.gen(function* () {
    const modes = yield* LocalTerminal.modes
    const keys = yield* Queue.unbounded<Key>()
    if (file !== "-" && LocalTerminal.isTerminal() && LocalTerminal.size() !== undefined) {
      yield* LocalTerminal.rawMode
      yield* Effect.forkScoped(
        Stream.runForEach(LocalTerminal.input, (bytes) => keys.offerAll(keysOf(bytes))),
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
  /** When it was paused. */
  private paused: number | undefined

  constructor(begin: number) {
    this.begin = begin
  }

  /** Completes when that step is due: with false if nothing more shall be shown. */
  until(at: number, keys: Queue.Dequeue<Key>): Effect.Effect<boolean> {
    return Effect.gen(this, function* () {
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        const left = this.paused === undefined ? this.begin + at - now : Infinity
        if (left <= 0 && (yield* Queue.isEmpty(keys))) return true
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
