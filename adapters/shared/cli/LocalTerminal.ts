/**
 * The terminal of this process, as `procwire run` uses it. Raw mode is always left again. The `Terminal` of
 * @effect/platform is not used, because it reads lines and keys, not bytes.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { utf8 } from "../../../core/protocol/Bytes.ts"
import type { TerminalSize } from "../../../core/spawn/Spawner.ts"
import { write } from "../host/StandardStreams.ts"
import * as TerminalModes from "./TerminalModes.ts"

export { input, InputFailed, OutputFailed, type Print, write } from "../host/StandardStreams.ts"

/** Writes a text to stdout, or to stderr, before it completes. */
export const print = (text: string, to: "stdout" | "stderr" = "stdout") => write(to, utf8.encode(text))

/** Whether stdin is a terminal. */
export const isTerminal = (): boolean => process.stdin.isTTY === true

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
export const resizes: Stream.Stream<TerminalSize> = Stream.asyncPush<TerminalSize>((emit) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const report = () => {
        const now = size()
        if (now !== undefined) emit.single(now)
      }
      process.stdout.on("resize", report)
      return report
    }),
    (report) => Effect.sync(() => process.stdout.off("resize", report)),
  ),
)

/** What a command has switched on at the terminal. */
export interface Modes {
  /** Takes the next piece of its output. */
  readonly scan: (bytes: Uint8Array) => void
  /** Leaves the modes as they are. */
  readonly keep: () => void
}

/**
 * The modes that a command switches on by its output, which the scope's end switches off unless it was told to
 * `keep` them. What is written next begins a line then.
 */
export const modes: Effect.Effect<Modes, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => ({ seen: TerminalModes.make(), kept: process.stdout.isTTY !== true, inLine: false })),
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
