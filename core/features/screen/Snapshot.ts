/** What a terminal shows and how it is set, as its adapter reads it: all that repainting needs. */
import type { Cursor, Style } from "./wire.ts"
import type { TerminalSize } from "../../spawn/Spawner.ts"

/** Neighboring cells of one kind and look. */
export interface Run {
  /**
   * `empty`: cells that nothing was written to, or that were erased; `text` is as many blanks. `single`: a code point
   * of one column in each. `other`: one character of another shape.
   */
  readonly kind: "empty" | "single" | "other"
  /** The characters. */
  readonly text: string
  /** How many columns they take. */
  readonly columns: number
  /** How they look; undefined is as usual. */
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
  /** How many of them lie above the screen. */
  readonly scrollback: number
  /** Where the next character goes; `column` is behind the last one if it goes to the next line. */
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
  /** How the cursor looks. */
  readonly cursor: Pick<Cursor, "visible" | "shape" | "blinks">
  /** The title that was set last. */
  readonly title: string
  /** Its settings. */
  readonly modes: Modes
  /** The sequences that make the next character look as it would there. */
  readonly pen: string
}
