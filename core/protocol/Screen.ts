/** `process/screen`: what the terminal of a PTY shows. Needs the capability `processScreen`. */
import * as Schema from "effect/Schema"
import { nullable } from "./Fields.ts"
import { U16, U53, U64, Usize } from "./Integers.ts"
import { later, struct } from "./Later.ts"

/** The most lines above the screen that a server keeps. */
export const mostScrollback = 1000

/** What an answer has of the picture: plain text, a text that paints it on a terminal of that size, or its lines. */
export const Format = Schema.Literal("text", "ansi", "lines").annotations({ identifier: "ScreenFormat" })
/** A form of the picture. */
export type Format = typeof Format.Type

/**
 * Asks for the picture after the output up to and including `seq`; absent, or a seq that there is not yet: now. With
 * at most `scrollback` of the lines that have left the screen at its top (default: none). `formats` is what the answer
 * has of it (default: `text`).
 */
export const ScreenParams = struct("ScreenParams", () => ({
  processId: Schema.String,
  seq: nullable(U64),
  formats: nullable(Schema.Array(Format)),
  scrollback: nullable(Usize),
}))
/** Decoded params of `process/screen`. */
export type ScreenParams = typeof ScreenParams.Type

/** A color: its index in the palette of 256, or `#rrggbb`. */
const Color = later(() =>
  (Schema.Unknown as Schema.Schema<unknown>).pipe(
    Schema.filter(
      (color): color is number | string => typeof color === "number" || typeof color === "string",
      {
        identifier: "ScreenColor",
        jsonSchema: { anyOf: [{ type: "integer", minimum: 0, maximum: 255 }, { type: "string" }] },
      },
    ),
  ),
)

const set = later(() => Schema.optional(Schema.Literal(true)))

/** How characters look. Absent colors are those of the terminal, absent attributes are off. */
const style = later(() => ({
  foreground: Schema.optional(Color),
  background: Schema.optional(Color),
  bold: set,
  dim: set,
  italic: set,
  underline: set,
  blink: set,
  inverse: set,
  invisible: set,
  strikethrough: set,
  overline: set,
}))

/** How characters look, decoded. */
export const Style = struct("ScreenStyle", () => style)
/** How characters look. */
export type Style = typeof Style.Type

/**
 * Characters that look the same, of one column each. With `columns` it is a single character, of so many columns, or
 * one that is made of several code points.
 */
export const Span = struct("ScreenSpan", () => ({
  text: Schema.String,
  columns: Schema.optional(U53),
  ...style,
}))
/** A part of a line. */
export type Span = typeof Span.Type

/** A line of the terminal from its first column; what is not named at its end is blank. */
export const Line = struct("ScreenLine", () => ({
  /** It continues the line above, which was too long. */
  wrapped: set,
  spans: Schema.Array(Span),
}))
/** A line of the picture. */
export type Line = typeof Line.Type

/** Where the next character goes: row and column of the screen, counted from 0. */
export const Cursor = struct("ScreenCursor", () => ({
  row: U53,
  column: U53,
  visible: Schema.Boolean,
  shape: Schema.Literal("block", "underline", "bar"),
  blinks: Schema.Boolean,
}))
/** The cursor of the picture. */
export type Cursor = typeof Cursor.Type

/**
 * The picture after the output up to and including `seq`. It was painted from the output that begins at `fromSeq`: 1,
 * or what the server had when it was first asked. `scrollback` of the lines lie above the screen. `text` ends before
 * the blanks at the ends of lines and before the blank lines at the end.
 */
export const ScreenResult = struct("ScreenResponse", () => ({
  seq: U64,
  fromSeq: U64,
  size: Schema.Struct({ rows: U16, columns: U16 }).annotations({ identifier: "ScreenSize" }),
  cursor: Cursor,
  title: Schema.String,
  alternate: Schema.Boolean,
  scrollback: U53,
  text: Schema.optional(Schema.String),
  ansi: Schema.optional(Schema.String),
  lines: Schema.optional(Schema.Array(Line)),
}))
/** The result of `process/screen`. */
export type ScreenResult = typeof ScreenResult.Type
