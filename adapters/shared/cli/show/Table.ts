/** A table of texts that fits the width of a terminal: columns that may shrink give way, the widest one first. */
import * as LocalTerminal from "../LocalTerminal.ts"

export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  /** The columns below which it never shrinks; absent: it never shrinks at all. */
  readonly least?: number
  /** True: numbers, which end at the same column. */
  readonly right?: boolean
  readonly paint?: (text: string, row: Row) => string
}

export interface Shown {
  readonly json?: boolean
  readonly quiet?: boolean
  /** True: the table may be wider than the terminal. */
  readonly "no-trunc"?: boolean
}

/** The forms of rows: a table, a line of JSON for each, or the name of each. */
export interface Forms<Row> {
  readonly columns: ReadonlyArray<Column<Row>>
  readonly toJson?: (row: Row) => unknown
  readonly toName?: (row: Row) => string
}

export const print = <Row>(
  rows: ReadonlyArray<Row>,
  { json = false, quiet = false, "no-trunc": isWhole = false }: Shown,
  { columns, toJson = (row) => row, toName = String }: Forms<Row>,
) =>
  LocalTerminal.print(
    (json
      ? rows.map((row) => `${JSON.stringify(toJson(row))}\n`)
      : quiet
        ? rows.map((row) => `${toName(row)}\n`)
        : lines(columns, rows, isWhole ? undefined : LocalTerminal.width())
    ).join(""),
  )

const gap = "  "

/** The lines of the table, each with its end; `width` is that of the terminal, absent for no bound. */
export const lines = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  width?: number,
): ReadonlyArray<string> => {
  const cells = rows.map((row) => columns.map(({ text }) => plain(text(row))))
  const natural = columns.map(({ title }, at) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[at] ?? ""))),
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
  const shown = cut(text, width)
  const blanks = " ".repeat(Math.max(0, width - widthOf(shown)))
  const painted = row === undefined || paint === undefined ? shown : paint(shown, row)
  return right === true ? `${blanks}${painted}` : `${painted}${blanks}`
}

/** Cuts a row that is still too wide at the edge: columns behind it are left out. */
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

/** Characters of two columns: East Asian wide and full-width ones, and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u

/** Characters of no column: combining marks (with variation selectors) and joiners. */
const combining = /^[\p{Mn}\p{Me}\p{Cf}]$/u

const controls = /[\p{Cc}\p{Zl}\p{Zp}]/gu

/** The columns of a text without control characters. */
export const widthOf = (text: string): number => {
  let columns = 0
  for (const character of text) columns += ofCharacter(character)
  return columns
}

const ofCharacter = (character: string): number => {
  if (character < "\u0300") return 1
  return combining.test(character) ? 0 : wide.test(character) ? 2 : 1
}

/** A text in one line: control characters, which could move the cursor, are shown as `\n`, `\t` or `\x1b`. */
export const plain = (text: string): string =>
  text.replaceAll(
    controls,
    (character) => escapes[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  )

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

/** The begin of a text in at most so many columns; an ellipsis shows that it was cut. */
export const cut = (text: string, columns: number): string => {
  if (widthOf(text) <= columns) return text
  let kept = ""
  let left = columns - 1
  for (const character of text) {
    left -= ofCharacter(character)
    if (left < 0) break
    kept += character
  }
  return `${kept}…`
}
