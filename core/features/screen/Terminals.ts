/**
 * The seam for terminals that paint: output goes in, and what a person would see comes out. A service with a default
 * that has none, because the core has no terminal of its own.
 *
 * Such a terminal only looks: it answers no question that the output asks, and reaches nothing of the host.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { TerminalSize } from "../../spawn/Spawner.ts"
import type { Cursor, Style } from "./wire.ts"

/** The failure of a picture. */
export type ScreenReason =
  /** The process has no PTY. */
  | "NoTerminal"
  /** The server has no terminals to paint with. */
  | "Unavailable"
  /** The PTY has more cells than a picture may have. */
  | "TooLarge"
  /** The output that the picture is to end with has left the log. */
  | "Evicted"

/** There is no picture; `message` is for the client. */
export class ScreenError extends Data.TaggedError("ScreenError")<{
  /** The reason of the failure. */
  readonly reason: ScreenReason
  /** The same in words, with the values and what helps. */
  readonly message: string
}> {}

/** A terminal, whose caller makes one call at a time. */
export interface Terminal {
  /** Takes output in. Completes when a snapshot has it; others run meanwhile. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void>
  /** Changes the size for the output that comes next, and how many lines are kept above the screen. */
  readonly resize: (size: TerminalSize, scrollback: number) => void
  /** The picture, with at most so many of the lines above the screen. */
  readonly snapshot: (scrollback: number) => Snapshot
  /** Characters that it keeps beyond one for each cell: what output can make grow. Looks at every cell. */
  readonly excess: () => number
  /** Gives its memory back. */
  readonly dispose: () => void
}

/** Opens terminals. */
export interface TerminalsService {
  /** True if terminals can be opened. */
  readonly available: boolean
  /** A blank terminal that keeps so many lines above its screen. */
  readonly open: (size: TerminalSize, scrollback: number) => Effect.Effect<Terminal, ScreenError>
}

/** There are no terminals. */
export const none: TerminalsService = {
  available: false,
  open: () =>
    Effect.fail(new ScreenError({ reason: "Unavailable", message: "this server cannot paint terminals" })),
}

/** The service; the default is `none`. */
export const Terminals = Context.Reference("procwire/Terminals", {
  defaultValue: (): TerminalsService => none,
})

/** Neighboring cells of one kind and look. */
export interface Run {
  /**
   * `empty`: cells that nothing was written to, or that were erased; `text` is as many blanks. `single`: a code point
   * of one column in each. `other`: one character of another shape.
   */
  readonly kind: "empty" | "single" | "other"
  /** The characters. */
  readonly text: string
  /** Number of columns that they take. */
  readonly columns: number
  /** Their look; undefined is as usual. */
  readonly style: Style | undefined
}

/** A line, all of its columns. */
export interface Row {
  /** It continues the line above. */
  readonly wrapped: boolean
  /** Its cells. */
  readonly runs: ReadonlyArray<Run>
}

/** One of the two screens of a terminal. */
export interface Grid {
  /** The lines, those above the screen first. */
  readonly rows: ReadonlyArray<Row>
  /** Number of those above the screen. */
  readonly scrollback: number
  /** The place of the next character; `column` is behind the last one if it goes to the next line. */
  readonly cursor: { readonly row: number; readonly column: number }
  /** The rows that scroll, the first and the last; undefined if all do. */
  readonly margins: readonly [number, number] | undefined
}

/** Settings of a terminal that output can change, where they are not as in a new one. */
export interface Modes {
  /** Sequences that set them. */
  readonly set: ReadonlyArray<string>
  /** Rows are counted from the first that scrolls. */
  readonly origin: boolean
}

/** A terminal at one moment. */
export interface Snapshot {
  /** Its size. */
  readonly size: TerminalSize
  /** The usual screen, and what lies above it. */
  readonly normal: Grid
  /** The alternate screen, which covers the usual one; undefined if it is not shown. */
  readonly alternate: Grid | undefined
  /** The look of the cursor. */
  readonly cursor: Pick<Cursor, "visible" | "shape" | "blinks">
  /** The title that was set last. */
  readonly title: string
  /** Its settings. */
  readonly modes: Modes
  /** The sequences that make the next character look as it would there. */
  readonly pen: string
}
