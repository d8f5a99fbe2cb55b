/** `process/screen`: what the terminal of a PTY shows. Needs the capability `processScreen`. */
import * as Shape from "../../protocol/shape/index.ts"
import { wrongType } from "../../protocol/shape/Shape.ts"
import { U16, U53, U64, Usize } from "../../protocol/Integers.ts"
import { request } from "../../protocol/Method.ts"
import * as Wire from "../Wire.ts"

/** The most lines above the screen that a server keeps. */
export const mostScrollback = 1000

/** Forms of the picture: plain text, a text that paints it on a terminal of that size, or its lines. */
export const Format = Shape.namedWords("ScreenFormat", "text", "ansi", "lines")
/** A form of the picture. */
export type Format = typeof Format.Type

/**
 * Asks for the picture after the output up to and including `seq`; absent, or a seq that there is not yet: now. With
 * at most `scrollback` of the lines that have left the screen at its top (default: none). `formats` is what the answer
 * has of it (default: `text`).
 */
export const ScreenParams = Shape.struct("ScreenParams", {
  processId: Shape.string,
  seq: Shape.nullable(U64),
  /** The forms of the picture in the answer; the default is `text` alone. */
  formats: Shape.nullable(Shape.list(Format)),
  /** The most lines above the screen; the default is 0. */
  scrollback: Shape.nullable(Usize),
})

/** A color: its index in the palette of 256, or `#rrggbb`. */
const Color = Shape.leaf<number | string>(
  { anyOf: [{ type: "integer", minimum: 0, maximum: 255 }, { type: "string" }] },
  (json, reading) => {
    if (typeof json === "number" || typeof json === "string") return json
    throw wrongType(json, "ScreenColor", reading)
  },
)

const set = Shape.optional(Shape.yes)

/** The look of characters. Absent colors are those of the terminal, absent attributes are off. */
const style = {
  /** The color of the characters: an index in the palette of 256, or `#rrggbb`. */
  foreground: Shape.optional(Color),
  /** The color behind them: an index in the palette of 256, or `#rrggbb`. */
  background: Shape.optional(Color),
  /** True if they are bold. */
  bold: set,
  /** True if they are dim. */
  dim: set,
  /** True if they are italic. */
  italic: set,
  /** True if they are underlined. */
  underline: set,
  /** True if they blink. */
  blink: set,
  /** True if the two colors are swapped. */
  inverse: set,
  /** True if they are not shown. */
  invisible: set,
  /** True if they are struck through. */
  strikethrough: set,
  /** True if they have a line above. */
  overline: set,
}

/** The look of characters, decoded. */
export const Style = Shape.struct("ScreenStyle", style)
/** The look of characters. */
export type Style = typeof Style.Type

/**
 * Characters that look the same, of one column each. With `columns` it is a single character, of so many columns, or
 * one that is made of several code points.
 */
export const Span = Shape.struct("ScreenSpan", {
  text: Shape.string,
  columns: Shape.optional(U53),
  ...style,
})
/** A part of a line. */
export type Span = typeof Span.Type

/** A line of the terminal from its first column; what is not named at its end is blank. */
export const Line = Shape.struct("ScreenLine", {
  /** It continues the line above, which was too long. */
  wrapped: set,
  /** Its characters; what is not named at the end is blank. */
  spans: Shape.list(Span),
})
/** A line of the picture. */
export type Line = typeof Line.Type

/** The cursor: row and column of the next character on the screen, counted from 0. */
export const Cursor = Shape.struct("ScreenCursor", {
  /** The row of the screen, from 0. */
  row: U53,
  /** The column of the screen, from 0. */
  column: U53,
  /** True if it is shown. */
  visible: Shape.boolean,
  /** Its look. */
  shape: Shape.words("block", "underline", "bar"),
  /** True if it blinks. */
  blinks: Shape.boolean,
})
/** The cursor of the picture. */
export type Cursor = typeof Cursor.Type

/** The size of a terminal. */
const Size = Shape.struct("ScreenSize", { rows: U16, columns: U16 })

/**
 * The picture after the output up to and including `seq`. It was painted from the output that begins at `fromSeq`: 1,
 * or what the server had when it was first asked. `scrollback` of the lines lie above the screen. `text` ends before
 * the blanks at the ends of lines and before the blank lines at the end.
 */
export const ScreenResult = Shape.struct("ScreenResponse", {
  seq: U64,
  /** The seq of the first output that the picture was painted from. */
  fromSeq: U64,
  /** The size of the terminal. */
  size: Size,
  cursor: Cursor,
  /** The title that a program has set; empty if none has. */
  title: Shape.string,
  /** True for the alternate screen, which full-screen programs use. */
  alternate: Shape.boolean,
  /** The number of lines that lie above the screen. */
  scrollback: U53,
  text: Shape.optional(Shape.string),
  /** A text that paints the picture on a terminal of that size. */
  ansi: Shape.optional(Shape.string),
  /** The lines from the first one, those above the screen included. */
  lines: Shape.optional(Shape.list(Line)),
})
/** The result of `process/screen`. */
export type ScreenResult = typeof ScreenResult.Type

/** The wire of the feature. */
export const screen = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `process/screen`. */
    processScreen: Shape.boolean,
  },
  requests: {
    "process/screen": request({
      params: ScreenParams,
      result: ScreenResult,
      family: "exec",
      slotted: true,
      repeatable: "always",
      cancellable: true,
      says: "what the terminal of a PTY shows, now or at a seq (beyond the peer; capability processScreen)",
    }),
  },
})
