/** The state of the terminal of a command, of a reply of `read_screen`. */
import type { ScreenResult } from "../features/screen/wire.ts"

/** The state of the terminal of a command. Rows and columns count from 1. */
export interface Screen {
  /** The session ID of the command. */
  readonly sessionId: number
  /** The lines of the screen. */
  readonly rows: number
  /** The columns of the screen. */
  readonly columns: number
  /** The row of the screen where the next character goes. */
  readonly cursorRow: number
  /** The column where it goes. */
  readonly cursorColumn: number
  /** False while the program hides its cursor. */
  readonly cursorVisible: boolean
  /** The title of the window that the program has set. */
  readonly title: string
  /** True while the program draws on the alternate screen, as editors and pagers do. */
  readonly alternate: boolean
  /** The lines that have left the screen at its top. */
  readonly scrollback: number
}

/** The state of the terminal in a picture. */
export const of = (
  sessionId: number,
  { size, cursor, title, alternate, scrollback }: ScreenResult,
): Screen => ({
  sessionId,
  rows: size.rows,
  columns: size.columns,
  cursorRow: cursor.row + 1,
  cursorColumn: cursor.column + 1,
  cursorVisible: cursor.visible,
  title,
  alternate,
  scrollback,
})

/** The same for a model. */
export const toText = (screen: Screen): ReadonlyArray<string> => {
  const { sessionId, rows, columns, cursorRow, cursorColumn, cursorVisible, title, alternate, scrollback } =
    screen
  return [
    `Screen of session ID ${sessionId}: ${rows} rows, ${columns} columns` +
      (alternate ? ", the alternate screen" : "") +
      (title === "" ? "" : `, title ${JSON.stringify(title)}`),
    `Cursor: row ${cursorRow}, column ${cursorColumn}${cursorVisible ? "" : " (hidden)"}`,
    ...(scrollback === 0 ? [] : [`The first ${scrollback} lines have left the screen at its top`]),
  ]
}
