/** The cells of a terminal of `@xterm/headless`, in runs of one look. */
import type { IBuffer, IBufferCell, IBufferLine, Terminal } from "@xterm/headless"
import type { Style } from "../../../core/protocol/Screen.ts"
import type { Row, Run } from "../../../core/process/screen/Snapshot.ts"

/** The lines from one to before another. */
export const rows = (buffer: IBuffer, from: number, to: number, columns: number): ReadonlyArray<Row> => {
  const found: Array<Row> = []
  const cell = buffer.getNullCell()
  for (let y = from; y < to; y++) {
    const line = buffer.getLine(y)
    // The first line of a picture continues nothing that is in it.
    const wrapped = y > from && line?.isWrapped === true
    found.push({ wrapped, runs: line === undefined ? [] : runs(line, columns, cell) })
  }
  return found
}

/** Characters of all cells beyond the two that any may have. */
export const excess = ({ buffer, cols }: Terminal): number => {
  let characters = 0
  const cell = buffer.active.getNullCell()
  for (const screen of [buffer.normal, buffer.alternate])
    for (let y = 0; y < screen.length; y++) {
      const line = screen.getLine(y)
      for (let x = 0; x < cols; x++) {
        line?.getCell(x, cell)
        characters += Math.max(0, cell.getChars().length - 2)
      }
    }
  return characters
}

const runs = (line: IBufferLine, columns: number, cell: IBufferCell): ReadonlyArray<Run> => {
  const found: Array<{ kind: Run["kind"]; text: string; columns: number; style: Style | undefined }> = []
  let lastLook = ""
  for (let x = 0; x < columns;) {
    line.getCell(x, cell)
    const chars = cell.getChars()
    const width = Math.min(Math.max(1, cell.getWidth()), columns - x)
    const kind = chars === "" ? "empty" : width === 1 && isSingle(chars) ? "single" : "other"
    const text = chars === "" ? " ".repeat(width) : chars
    const look = lookOf(cell, kind)
    const last = found.at(-1)
    if (last !== undefined && kind !== "other" && last.kind === kind && lastLook === look) {
      last.text += text
      last.columns += width
    } else found.push({ kind, text, columns: width, style: styleOf(cell, kind) })
    lastLook = look
    x += width
  }
  return found
}

const isSingle = (chars: string): boolean => chars.length === ((chars.codePointAt(0) ?? 0) > 0xffff ? 2 : 1)

/** The same for cells that look the same. An erased cell has nothing but a background. */
const lookOf = (cell: IBufferCell, kind: Run["kind"]): string =>
  kind === "empty" ? `${backgroundOf(cell)}` : `${backgroundOf(cell)} ${foregroundOf(cell)} ${flags(cell)}`

const attributes = [
  ["bold", "isBold"],
  ["dim", "isDim"],
  ["italic", "isItalic"],
  ["underline", "isUnderline"],
  ["blink", "isBlink"],
  ["inverse", "isInverse"],
  ["invisible", "isInvisible"],
  ["strikethrough", "isStrikethrough"],
  ["overline", "isOverline"],
] as const

const flags = (cell: IBufferCell): string =>
  attributes.map(([, is]) => (cell[is]() === 0 ? "0" : "1")).join("")

const styleOf = (cell: IBufferCell, kind: Run["kind"]): Style | undefined => {
  const foreground = kind === "empty" ? undefined : foregroundOf(cell)
  const background = backgroundOf(cell)
  const set = kind === "empty" ? [] : attributes.filter(([, is]) => cell[is]() !== 0)
  if (foreground === undefined && background === undefined && set.length === 0) return undefined
  return {
    ...(foreground === undefined ? {} : { foreground }),
    ...(background === undefined ? {} : { background }),
    ...Object.fromEntries(set.map(([name]) => [name, true])),
  }
}

const foregroundOf = (cell: IBufferCell) => colorOf(cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor())

const backgroundOf = (cell: IBufferCell) => colorOf(cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor())

const colorOf = (isRgb: boolean, isPalette: boolean, value: number): string | number | undefined => {
  if (isRgb) return `#${value.toString(16).padStart(6, "0")}`
  return isPalette ? value : undefined
}
