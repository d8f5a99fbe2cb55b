/** Lines of output among the rows of a terminal, where a long line takes several. */

/** True for a row that continues the one above. */
export type Wrapped = (row: number) => boolean

/** The row where the line with this index (from 0) begins; the last row where there are fewer lines. */
export const rowOfLine = (line: number, rows: number, wrapped: Wrapped): number => {
  let left = line
  for (let row = 0; row < rows; row += 1) {
    if (row > 0 && wrapped(row)) continue
    if (left === 0) return row
    left -= 1
  }
  return Math.max(0, rows - 1)
}

/** The smallest letters that can be read, in pixels. */
export const leastRead = 9

/**
 * The size of letters, in pixels, at which a terminal of a foreign size fits: at most the wanted one, and no
 * smaller than can be read. If it does not fit so, it is scrolled.
 */
export const fittingSize = (
  wanted: number,
  cell: { readonly width: number; readonly height: number },
  terminal: { readonly columns: number; readonly rows: number },
  room: { readonly width: number; readonly height: number },
): number => {
  const scale = Math.min(
    room.width / (cell.width * terminal.columns),
    room.height / (cell.height * terminal.rows),
    1,
  )
  return Math.max(Math.min(wanted, leastRead), Math.floor(wanted * scale * 2) / 2)
}
