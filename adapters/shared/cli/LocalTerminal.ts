/**
 * The terminal of this process, as `procwire run` uses it. Raw mode is always left again. The `Terminal` of
 * @effect/platform is not used, because it reads lines and keys, not bytes.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { utf8 } from "../../../core/protocol/Bytes.ts"
import type { TerminalSize } from "../../../core/spawn/Spawner.ts"
import { write } from "../host/StandardStreams.ts"

export { input, InputFailed, OutputFailed, type Print, write } from "../host/StandardStreams.ts"

/** Writes a text to stdout, or to stderr, before it completes. */
export const print = (text: string, to: "stdout" | "stderr" = "stdout") => write(to, utf8.encode(text))

export const isTerminal = (): boolean => process.stdin.isTTY === true

export const printLine = (text: string) => print(`${text}\n`)

/** Ctrl-C and Ctrl-D as a terminal in raw mode has them. */
export const controlC = 3
export const endOfTransmission = Uint8Array.of(4)

/** Raw mode until the scope closes: keystrokes come one by one and unchanged. Does nothing without a terminal. */
export const rawMode: Effect.Effect<void, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => void (isTerminal() && process.stdin.setRawMode(true))),
  () => Effect.sync(() => void (isTerminal() && process.stdin.setRawMode(false))),
)

/** The size of the terminal on stdout; undefined without one. */
export const size = (): TerminalSize | undefined =>
  process.stdout.isTTY ? { rows: process.stdout.rows, columns: process.stdout.columns } : undefined

/** The columns of the terminal on stdout; undefined without one, where nothing bounds a line. */
export const width = (): number | undefined =>
  process.stdout.isTTY ? process.stdout.columns || 80 : undefined

/** The size after each change. */
export const resizes: Stream.Stream<TerminalSize> = Stream.callback<TerminalSize>((queue) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const report = () => {
        const now = size()
        if (now !== undefined) Queue.offerUnsafe(queue, now)
      }
      process.stdout.on("resize", report)
      return report
    }),
    (report) => Effect.sync(() => process.stdout.off("resize", report)),
  ),
)

/** The modes that a command has switched on at the terminal. */
export interface Modes {
  /** Takes the next piece of its output. */
  readonly scan: (bytes: Uint8Array) => void
  /** Leaves the modes as they are. */
  readonly keep: () => void
}

/**
 * The modes that a command switches on by its output, which the scope's end switches off unless `keep` was
 * called. The next output begins a line then.
 */
export const modes: Effect.Effect<Modes, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => ({ seen: makeModes(), kept: process.stdout.isTTY !== true, inLine: false })),
    ({ seen, kept, inLine }) =>
      Effect.suspend(() => {
        const text = kept ? "" : `${seen.restore()}${inLine ? "\r\n" : ""}`
        return text === "" ? Effect.void : Effect.ignore(print(text))
      }),
  ),
  (state) => ({
    scan: (bytes) => {
      state.seen.scan(bytes)
      if (bytes.length > 0) state.inLine = bytes.at(-1) !== lineFeed
    },
    keep: () => void (state.kept = true),
  }),
)

const lineFeed = 10

export interface TerminalModes {
  readonly scan: (bytes: Uint8Array) => void
  /** The text that switches off the modes that are on; empty if none is. */
  readonly restore: () => string
}

const [escape, shiftOut, shiftIn, cancel, substitute] = [0x1b, 0x0e, 0x0f, 0x18, 0x1a]

/** Longer sequences are not of a terminal's modes. */
const longest = 64

/** Private modes that are on by default: autowrap and the cursor. */
const usuallyOn: ReadonlySet<string> = new Set(["7", "25"])

/** Leaving the alternate screen restores the cursor: it comes behind all others. */
const screens: ReadonlyArray<string> = ["47", "1047", "1049"]

/** A `CSI`: the private marker, the parameters, the intermediate bytes, and the final byte. */
const control = /^\[([<=>?]?)([\d;:]*)([ !"#$%&'*+]*)([@-~])$/

/** The modes that are on, each with the text that switches it off. */
type On = Map<string, string>

/**
 * A terminal on which nothing is switched on.
 *
 * A program that ends by itself leaves the terminal as it wants it. One that is cut off leaves the alternate screen,
 * a hidden cursor, mouse reports or colours behind. The scanner reads the output and keeps the state of private modes,
 * keypad, insert mode, scroll region, character set, keyboard protocols and attributes. Sequences may be split over
 * pieces; unknown ones are skipped.
 */
export const makeModes = (): TerminalModes => {
  const on: On = new Map()
  /** The sequence that has begun, without its ESC. */
  let sequence: string | undefined

  const take = (byte: number) => {
    if (byte === escape) sequence = ""
    else if (byte === cancel || byte === substitute) sequence = undefined
    else if (sequence === undefined) shift(on, byte)
    else {
      sequence += String.fromCharCode(byte)
      if (!isWhole(sequence)) return
      apply(on, sequence)
      sequence = undefined
    }
  }

  const scan = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at++) {
      if (sequence === undefined && !isPlain(bytes[at] ?? 0)) take(bytes[at] ?? 0)
      else if (sequence !== undefined) take(bytes[at] ?? 0)
    }
  }

  const restore = () => {
    const last = screens.filter((screen) => on.has(screen))
    const others = [...on.keys()].filter((name) => !last.includes(name))
    return [...others, ...last].map((name) => on.get(name)).join("")
  }

  return { scan, restore }
}

const isPlain = (byte: number): boolean => byte !== escape && byte !== shiftOut && byte !== shiftIn

/** True at the last byte of a sequence, and for a text that is too long for one. */
const isWhole = (sequence: string): boolean => {
  if (sequence.length > longest) return true
  const last = sequence.charCodeAt(sequence.length - 1)
  if (sequence.startsWith("[")) return sequence.length > 1 && last >= 0x40 && last <= 0x7e
  // Intermediate bytes, as in ESC ( B, have one more byte behind them.
  return last < 0x20 || last > 0x2f
}

const set = (on: On, name: string, isOn: boolean, off: string) => {
  if (isOn) on.set(name, off)
  else on.delete(name)
}

/** SO selects line-drawing characters on some terminals. */
const shift = (on: On, byte: number) => set(on, "shift", byte === shiftOut, "\u000f")

const apply = (on: On, sequence: string) => {
  if (sequence === "c") return on.clear()
  if (sequence === "=" || sequence === ">") return set(on, "keypad", sequence === "=", "\u001b>")
  if (sequence.startsWith("(")) return set(on, "charset", sequence !== "(B", "\u001b(B")
  const [, marker, parameters = "", between = "", final] = control.exec(sequence) ?? []
  const values = parameters.split(";")
  const code = `${marker}${between}${final}`
  if (code === "?h" || code === "?l") return values.forEach((mode) => setPrivate(on, mode, code === "?h"))
  if (code === "h" || code === "l")
    return values.includes("4") ? set(on, "insert", code === "h", "\u001b[4l") : undefined
  if (code === "m") return set(on, "attributes", !/^[0;]*$/.test(parameters), "\u001b[m")
  if (code === "r") return set(on, "region", parameters !== "", "\u001b7\u001b[r\u001b8")
  if (code === " q") return set(on, "cursor shape", !/^0*$/.test(parameters), "\u001b[0 q")
  if (code === ">m") return set(on, `key ${values[0]}`, (values[1] ?? "") > "0", `\u001b[>${values[0]}m`)
  if (code === ">u") return set(on, "keyboard", true, "\u001b[<u")
  if (code === "<u") return set(on, "keyboard", false, "")
  return undefined
}

const setPrivate = (on: On, mode: string, high: boolean) => {
  const usual = usuallyOn.has(mode)
  set(on, mode, high !== usual, `\u001b[?${mode}${usual ? "h" : "l"}`)
}
