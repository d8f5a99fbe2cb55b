/** The answer to `process/screen`, from a snapshot. */
import type { Format, Line, ScreenResult, Span, Style } from "./wire.ts"
import type { Row, Run, Snapshot, Grid } from "./Terminals.ts"

/** The output that the picture shows: from one seq to another. */
export interface Extent {
  readonly seq: number
  readonly fromSeq: number
}

export const from = (
  snapshot: Snapshot,
  { seq, fromSeq }: Extent,
  formats: ReadonlyArray<Format>,
): ScreenResult => {
  const { size, normal, alternate, title } = snapshot
  const { rows, scrollback, cursor } = alternate ?? normal
  const column = Math.min(cursor.column, size.columns - 1)
  return {
    seq,
    fromSeq,
    size,
    cursor: { row: cursor.row, column, ...snapshot.cursor },
    title,
    alternate: alternate !== undefined,
    scrollback,
    ...(formats.includes("text") ? { text: toText(rows) } : {}),
    ...(formats.includes("ansi") ? { ansi: toAnsi(snapshot) } : {}),
    ...(formats.includes("lines") ? { lines: rows.map(toLine) } : {}),
  }
}

const toText = (rows: ReadonlyArray<Row>): string =>
  rows
    .map(({ runs }) =>
      runs
        .map(({ text }) => text)
        .join("")
        .trimEnd(),
    )
    .join("\n")
    .trimEnd()

const toLine = ({ wrapped, runs }: Row): Line => {
  let end = runs.length
  for (let run = runs[end - 1]; run !== undefined && isBlank(run); run = runs[end - 1]) end -= 1
  const spans = runs.slice(0, end).map(toSpan)
  return wrapped ? { wrapped, spans } : { spans }
}

const toSpan = ({ kind, text, columns, style }: Run): Span => ({
  text,
  ...(kind === "other" ? { columns } : {}),
  ...style,
})

export const toAnsi = (snapshot: Snapshot): string => {
  const { size, normal, alternate, cursor, title, modes, pen } = snapshot
  const painter = new Painter(size.columns)
  painter.screen(normal)
  const set = modes.set.join("")
  const around = alternate === undefined ? normal : alternate
  if (alternate !== undefined) {
    painter.put(cursorTo(normal, size.columns, false), "\x1b[?1049h\x1b[H")
    painter.screen(alternate)
  }
  const { margins } = around
  if (margins !== undefined) painter.put(`\x1b[${margins[0] + 1};${margins[1] + 1}r`)
  if (modes.origin) painter.put("\x1b[?6h")
  painter.put(cursorTo(around, size.columns, modes.origin), pen, set)
  painter.put(`\x1b[${shapes[cursor.shape] - (cursor.blinks ? 1 : 0)} q`)
  if (!cursor.visible) painter.put("\x1b[?25l")
  return `${usual}\x1b[H\x1b[2J${painter.text}\x1b]2;${title}\x1b\\`
}

/**
 * Resets what output may have set on the terminal that is painted: modes one by one, because some terminals do not know
 * the soft reset, and it leaves out most of them.
 */
const usual =
  "\x1b[!p\x1b[?1049l\x1b[?1;6;9;45;1000;1002;1003;1004;1005;1006;1015;1016;2004l\x1b[?7;25h" +
  "\x1b[4l\x1b>\x1b(B\x0f\x1b[r\x1b[m"

const shapes = { block: 2, underline: 4, bar: 6 }

/** Writes down lines. The terminal has the usual look before and after each. */
class Painter {
  text = ""
  private readonly columns: number

  constructor(columns: number) {
    this.columns = columns
  }

  put(...texts: ReadonlyArray<string>): void {
    this.text += texts.join("")
  }

  screen({ rows }: Grid): void {
    for (const [index, row] of rows.entries()) {
      if (index > 0 && !row.wrapped) this.put("\r\n")
      this.row(row)
      if (rows[index + 1]?.wrapped === true) this.wrap(row)
    }
  }

  private row({ runs }: Row): void {
    const last = runs.at(-1)
    for (const run of runs) if (run !== last || !isBlank(run)) this.put(cells(run))
  }

  /** Goes on in the next line as text does that is too long: only a character that finds no room does that. */
  private wrap({ runs }: Row): void {
    const last = runs.at(-1)
    if (last !== undefined && last.kind !== "empty") return this.put("-\r\x1b[X")
    const erased = inStyle(last?.style, "\x1b[X")
    this.put(`\x1b[${this.columns}G--\r\x1b[X\x1b[A\x1b[${this.columns}G${erased}\x1b[B\r`)
  }
}

/** The cursor of a grid. Behind the last column it gets by writing the character there once more. */
const cursorTo = ({ rows, scrollback, cursor, margins }: Grid, columns: number, fromMargin: boolean) => {
  const row = cursor.row - (fromMargin ? (margins?.[0] ?? 0) : 0) + 1
  if (cursor.column < columns) return `\x1b[${row};${cursor.column + 1}H`
  const last = rows[scrollback + cursor.row]?.runs.at(-1)
  if (last === undefined || last.kind === "empty") return `\x1b[${row};${columns}H`
  const text = last.kind === "single" ? ([...last.text].at(-1) ?? "") : last.text
  const width = last.kind === "single" ? 1 : last.columns
  return `\x1b[${row};${columns - width + 1}H${inStyle(last.style, text)}`
}

/** True for cells that a cleared screen has. */
const isBlank = ({ kind, style }: Run): boolean => kind === "empty" && style === undefined

const cells = ({ kind, text, columns, style }: Run): string => {
  if (kind !== "empty") return inStyle(style, text)
  return style === undefined ? `\x1b[${columns}C` : inStyle(style, `\x1b[${columns}X\x1b[${columns}C`)
}

const inStyle = (style: Style | undefined, text: string): string =>
  style === undefined ? text : `\x1b[${codes(style).join(";")}m${text}\x1b[m`

const attributes = [
  ["bold", 1],
  ["dim", 2],
  ["italic", 3],
  ["underline", 4],
  ["blink", 5],
  ["inverse", 7],
  ["invisible", 8],
  ["strikethrough", 9],
  ["overline", 53],
] as const

const codes = (style: Style): ReadonlyArray<number> => [
  ...attributes.flatMap(([name, code]) => (style[name] === true ? [code] : [])),
  ...color(30, style.foreground),
  ...color(40, style.background),
]

/** From the code of black on. */
const color = (black: number, value: number | string | undefined): ReadonlyArray<number> => {
  if (value === undefined) return []
  if (typeof value === "number") {
    if (value < 8) return [black + value]
    return value < 16 ? [black + 60 + value - 8] : [black + 8, 5, value]
  }
  return [black + 8, 2, ...[1, 3, 5].map((at) => Number.parseInt(value.slice(at, at + 2), 16))]
}
