/** A table of texts that fits the width of a terminal: columns that may shrink give way, the widest one first. */
import * as Width from "./Width.ts"

/** A column. */
export interface Column<Row> {
  /** What stands above it. */
  readonly title: string
  /** The text of a row. */
  readonly text: (row: Row) => string
  /** The columns below which it never shrinks; absent: it never shrinks at all. */
  readonly least?: number
  /** True: numbers, which end at the same column. */
  readonly right?: boolean
  /** Wraps the text of a row in colours. */
  readonly paint?: (text: string, row: Row) => string
}

const gap = "  "

/** The lines of the table, each with its end; `width` is that of the terminal, absent for no bound. */
export const lines = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  width?: number,
): ReadonlyArray<string> => {
  const cells = rows.map((row) => columns.map(({ text }) => Width.plain(text(row))))
  const natural = columns.map(({ title }, at) =>
    Math.max(Width.of(title), ...cells.map((row) => Width.of(row[at] ?? ""))),
  )
  const widths = width === undefined ? natural : within(fit(natural, columns, width), width)
  const line = (texts: ReadonlyArray<string>, row?: Row) =>
    columns
      .slice(0, widths.length)
      .map((column, at) => cell(texts[at] ?? "", widths[at] ?? 0, column, row))
      .join(gap)
      .trimEnd()
  return [
    `${line(columns.map(({ title }) => title))}\n`,
    ...rows.map((row, index) => `${line(cells[index] ?? [], row)}\n`),
  ]
}

const cell = <Row>(text: string, width: number, { right, paint }: Column<Row>, row?: Row): string => {
  const shown = Width.cut(text, width)
  const blanks = " ".repeat(Math.max(0, width - Width.of(shown)))
  const painted = row === undefined || paint === undefined ? shown : paint(shown, row)
  return right === true ? `${blanks}${painted}` : `${painted}${blanks}`
}

/** What is still too wide is cut at the edge: columns behind it are left out. */
const within = (widths: ReadonlyArray<number>, width: number): ReadonlyArray<number> => {
  const shown: Array<number> = []
  let left = width
  for (const each of widths) {
    if (left <= 0) break
    shown.push(Math.min(each, left))
    left -= each + gap.length
  }
  return shown
}

/** Takes columns from the widest that may shrink, one by one, until all fit or none may shrink further. */
const fit = <Row>(
  natural: ReadonlyArray<number>,
  columns: ReadonlyArray<Column<Row>>,
  width: number,
): ReadonlyArray<number> => {
  const widths = [...natural]
  let over = widths.reduce((sum, each) => sum + each, 0) + gap.length * (columns.length - 1) - width
  for (; over > 0; over--) {
    let widest = -1
    for (const [at, { least }] of columns.entries())
      if (least !== undefined && (widths[at] ?? 0) > least && (widths[at] ?? 0) > (widths[widest] ?? 0))
        widest = at
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}
