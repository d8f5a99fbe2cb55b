/** Terminals side by side: all that can be read of each cell, by the package alone. */
import headless from "@xterm/headless"
import * as Effect from "effect/Effect"
import type { Grid } from "../../../../core/features/screen/Terminals.ts"
import { toAnsi } from "../../../../core/features/screen/Picture.ts"
import { XtermTerminal } from "../XtermTerminal.ts"

const scrollback = 40

/** A terminal, and the same as the package knows it. */
export const open = (rows: number, columns: number) => {
  const terminal = new XtermTerminal(headless.Terminal, { rows, columns }, scrollback)
  const write = (text: string) => Effect.runPromise(terminal.write(new TextEncoder().encode(text)))
  return { terminal, write, plain: terminal.xterm }
}

type Plain = ReturnType<typeof open>["plain"]

/** The first colors of the palette have two sequences, which look the same. */
const nameOf = (isRgb: boolean, isPalette: boolean) => (isRgb ? "rgb" : isPalette ? "palette" : "default")

/** All that can be read of each cell, by the package alone. */
const cellsOf = ({ buffer, cols, rows }: Plain) =>
  [buffer.normal, ...(buffer.active.type === "alternate" ? [buffer.active] : [])].map((buffer) =>
    Array.from({ length: Math.min(buffer.length, buffer.baseY + rows) }, (_, y) => {
      const line = buffer.getLine(y)
      const cells = Array.from({ length: cols }, (_, x) => {
        const cell = line?.getCell(x)
        if (cell === undefined) return ""
        const colors = [nameOf(cell.isBgRGB(), cell.isBgPalette()), cell.getBgColor()]
        if (line?.getCell(x - 1)?.getWidth() === 2) return "the other half"
        // An erased cell has no look but its background.
        if (cell.getChars() === "") return colors.join(" ")
        const flags = [
          cell.isBold(),
          cell.isDim(),
          cell.isItalic(),
          cell.isUnderline(),
          cell.isBlink(),
          cell.isInverse(),
          cell.isInvisible(),
          cell.isStrikethrough(),
          cell.isOverline(),
        ]
        return [
          cell.getChars(),
          cell.getWidth(),
          ...colors,
          nameOf(cell.isFgRGB(), cell.isFgPalette()),
          cell.getFgColor(),
          ...flags.map(Boolean),
        ].join(" ")
      })
      return `${y > 0 && line?.isWrapped === true ? "+" : "|"}${cells.join("|")}`
    }),
  )

/** The encoding of clicks, for which the package has no name. */
const encodingOf = (plain: Plain): string =>
  (plain as unknown as { _core: { coreMouseService: { activeEncoding: string } } })._core.coreMouseService
    .activeEncoding

/** Everything that is compared. */
export const everything = ({ terminal, plain }: ReturnType<typeof open>) => {
  const { pen: _, ...whole } = terminal.snapshot(scrollback)
  // Other terminals have one pair of margins for both screens.
  const { margins, ...normal } = whole.normal
  // A cursor behind a last column that was erased since is painted on it.
  const isErased = (grid: Grid) => grid.rows[grid.scrollback + grid.cursor.row]?.runs.at(-1)?.kind === "empty"
  const within = <A extends Grid>(grid: A): A =>
    isErased(grid)
      ? { ...grid, cursor: { ...grid.cursor, column: Math.min(grid.cursor.column, plain.cols - 1) } }
      : grid
  const snapshot = {
    ...whole,
    normal: within(
      whole.alternate === undefined ? { ...normal, margins } : { ...normal, margins: undefined },
    ),
    alternate: whole.alternate && within(whole.alternate),
  }
  return { snapshot, cells: cellsOf(plain), modes: { ...plain.modes }, encoding: encodingOf(plain) }
}

/** Paints what a terminal shows in a second one of its size. */
export const repainted = async ({ terminal, plain }: ReturnType<typeof open>) => {
  const second = open(plain.rows, plain.cols)
  await second.write(toAnsi(terminal.snapshot(scrollback)))
  return second
}
