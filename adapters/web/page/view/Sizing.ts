/** The size of a terminal: the writer's room is its size, and who looks on takes the size that it has. */
import type { TerminalSize } from "../../../../core/protocol/Process.ts"
import type { Row } from "../model/Rows.ts"
import type { Screen } from "./Screen.ts"

const usual: TerminalSize = { rows: 24, columns: 80 }

/** Shows a process at its size; the size to ask the server for, if that has to change. */
export const adapt = (
  screen: Screen,
  { tty, terminalSize }: Row,
  inControl: boolean,
): TerminalSize | undefined => {
  if (tty && !inControl) return void screen.show(terminalSize ?? usual)
  const size = screen.fill()
  if (!tty || size === undefined) return undefined
  return terminalSize?.columns === size.columns && terminalSize.rows === size.rows ? undefined : size
}

/** True where two rows have the same. */
export const isSame = (one: TerminalSize | undefined, other: TerminalSize | undefined): boolean =>
  one?.rows === other?.rows && one?.columns === other?.columns
