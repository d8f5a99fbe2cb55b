/**
 * One terminal of `@xterm/headless` as the core knows terminals, through its public API alone. Titles are kept here,
 * because the terminal keeps them without a bound; links are not kept at all.
 */
import * as Effect from "effect/Effect"
import type { Terminal as Xterm, IBuffer, IBufferCell, IBufferLine } from "@xterm/headless"
import type { Grid, Modes, Snapshot, Row, Run, Terminal } from "../../../core/features/screen/Terminals.ts"
import type { TerminalSize } from "../../../core/spawn/Spawner.ts"
import type { Style, Cursor } from "../../../core/features/screen/wire.ts"

export class XtermTerminal implements Terminal {
  readonly xterm: Xterm
  private readonly state: XtermState

  constructor(make: typeof Xterm, { rows, columns }: TerminalSize, scrollback: number) {
    this.xterm = new make({
      rows: Math.max(1, rows),
      cols: Math.max(2, columns),
      scrollback,
      allowProposedApi: true,
    })
    this.state = new XtermState(this.xterm)
  }

  write(bytes: Uint8Array): Effect.Effect<void> {
    return Effect.callback<void>((resume) => this.xterm.write(bytes, () => resume(Effect.void)))
  }

  resize({ rows, columns }: TerminalSize, scrollback: number): void {
    this.xterm.options.scrollback = scrollback
    this.xterm.resize(Math.max(2, columns), Math.max(1, rows))
    this.state.resized()
  }

  snapshot(scrollback: number): Snapshot {
    const { xterm, state } = this
    const { active, normal } = xterm.buffer
    const isAlternate = active.type === "alternate"
    return {
      size: { rows: xterm.rows, columns: xterm.cols },
      normal: this.grid("normal", normal, scrollback),
      alternate: isAlternate ? this.grid("alternate", active, 0) : undefined,
      cursor: { visible: state.cursorVisible, ...state.cursorStyle },
      title: state.title,
      modes: modesOf(xterm, state),
      pen: state.pen.join(""),
    }
  }

  excess(): number {
    return excessOf(this.xterm)
  }

  dispose(): void {
    this.xterm.dispose()
  }

  private grid(screen: "normal" | "alternate", buffer: Xterm["buffer"]["active"], most: number): Grid {
    const { baseY, cursorX, cursorY } = buffer
    const scrollback = Math.min(most, baseY)
    return {
      rows: rowsOf(buffer, baseY - scrollback, baseY + this.xterm.rows, this.xterm.cols),
      scrollback,
      cursor: { row: cursorY, column: cursorX },
      margins: this.state.margins[screen],
    }
  }
}

const mouse = {
  none: [],
  x10: ["\x1b[?9h"],
  vt200: ["\x1b[?1000h"],
  drag: ["\x1b[?1002h"],
  any: ["\x1b[?1003h"],
}

const modesOf = ({ modes }: Xterm, { mouseEncoding }: XtermState): Modes => ({
  origin: modes.originMode,
  set: [
    ...(modes.applicationCursorKeysMode ? ["\x1b[?1h"] : []),
    ...(modes.applicationKeypadMode ? ["\x1b="] : []),
    ...(modes.bracketedPasteMode ? ["\x1b[?2004h"] : []),
    ...(modes.insertMode ? ["\x1b[4h"] : []),
    ...(modes.reverseWraparoundMode ? ["\x1b[?45h"] : []),
    ...(modes.sendFocusMode ? ["\x1b[?1004h"] : []),
    ...(modes.wraparoundMode ? [] : ["\x1b[?7l"]),
    ...mouse[modes.mouseTrackingMode],
    ...(mouseEncoding === undefined ? [] : [`\x1b[?${mouseEncoding}h`]),
  ],
})

/** The lines from one to before another, in runs of one look. */
const rowsOf = (buffer: IBuffer, from: number, to: number, columns: number): ReadonlyArray<Row> => {
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
const excessOf = ({ buffer, cols }: Xterm): number => {
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

/** The most characters of a title, and the most titles that a program can put aside. */
const mostTitle = 1024
const mostTitles = 10

/** The most sequences that are kept for the look of the next character. */
const mostPen = 64

/** UTF-8, SGR, urxvt and SGR in pixels; the last one that is switched counts. */
const mouseEncodings: ReadonlySet<Params[number]> = new Set([1005, 1006, 1015, 1016])

type Params = ReadonlyArray<number | Array<number>>

/** The state of one terminal that the package does not tell, read from the sequences that it parses. */
class XtermState {
  title = ""
  cursorVisible = true
  /** The mode that says how clicks are sent; undefined is the usual way. */
  mouseEncoding: number | undefined
  cursorStyle: Pick<Cursor, "shape" | "blinks"> = { shape: "block", blinks: true }
  /** The sequences since the last one that begins anew. */
  pen: Array<string> = []
  margins: { normal?: readonly [number, number]; alternate?: readonly [number, number] } = {}
  private readonly titles: Array<string> = []
  private savedPen: Array<string> = []
  private readonly terminal: Xterm

  constructor(terminal: Xterm) {
    this.terminal = terminal
    const { parser } = terminal
    // A handler that returns false leaves the sequence to the terminal.
    const csi = (id: Parameters<typeof parser.registerCsiHandler>[0], see: (params: Params) => void) =>
      parser.registerCsiHandler(id, (params) => (see(params), false))
    const setTitle = (title: string) => {
      this.title = clean(title)
      return true
    }
    parser.registerOscHandler(0, setTitle)
    parser.registerOscHandler(2, setTitle)
    for (const ignored of [1, 8]) parser.registerOscHandler(ignored, () => true)
    csi({ final: "t" }, ([operation]) => this.moveTitle(operation))
    csi({ prefix: "?", final: "h" }, (params) => this.setModes(params, true))
    csi({ prefix: "?", final: "l" }, (params) => this.setModes(params, false))
    csi({ intermediates: " ", final: "q" }, ([style]) => this.setCursor(style))
    csi({ final: "m" }, (params) => this.setPen(params))
    csi({ final: "r" }, (params) => this.setMargins(params))
    csi({ intermediates: "!", final: "p" }, () => this.reset())
    parser.registerEscHandler({ final: "c" }, () => {
      this.reset()
      this.margins = {}
      this.mouseEncoding = undefined
      this.title = ""
      return false
    })
    parser.registerEscHandler({ final: "7" }, () => {
      this.savedPen = [...this.pen]
      return false
    })
    parser.registerEscHandler({ final: "8" }, () => {
      this.pen = [...this.savedPen]
      return false
    })
  }

  /** The terminal has another size: everything scrolls. */
  resized(): void {
    this.margins = {}
  }

  private get screen(): "normal" | "alternate" {
    return this.terminal.buffer.active.type
  }

  private reset(): void {
    this.cursorVisible = true
    this.cursorStyle = { shape: "block", blinks: true }
    this.pen = []
    this.savedPen = []
    delete this.margins[this.screen]
  }

  private moveTitle(operation: Params[number] | undefined): void {
    if (operation === 22) {
      this.titles.push(this.title)
      if (this.titles.length > mostTitles) this.titles.shift()
    } else if (operation === 23) this.title = this.titles.pop() ?? this.title
  }

  private setModes(params: Params, on: boolean): void {
    for (const mode of params) {
      if (mode === 25) this.cursorVisible = on
      if (mouseEncodings.has(mode)) this.mouseEncoding = on ? Number(mode) : undefined
      // The alternate screen is a new one whenever it is entered.
      if (mode === 47 || mode === 1047 || mode === 1049) delete this.margins.alternate
    }
  }

  private setCursor(style: Params[number] | undefined): void {
    const shape = style === 3 || style === 4 ? "underline" : style === 5 || style === 6 ? "bar" : "block"
    this.cursorStyle = { shape, blinks: typeof style !== "number" || style === 0 || style % 2 === 1 }
  }

  private setPen(params: Params): void {
    const begun = params.lastIndexOf(0)
    const isExtended = params.some((param) => param === 38 || param === 48 || param === 58)
    if (params.length === 0 || (begun >= 0 && !isExtended)) this.pen = []
    const rest = isExtended ? params : params.slice(begun + 1)
    if (rest.length === 0) return
    this.pen.push(
      `\x1b[${rest
        .map((param) => (typeof param === "number" ? `${param}` : `:${param.join(":")}`))
        .join(";")
        .replaceAll(";:", ":")}m`,
    )
    if (this.pen.length > mostPen) this.pen.shift()
  }

  private setMargins([top = 0, bottom = 0]: Params): void {
    const { rows } = this.terminal
    const first = Math.max(1, Number(top))
    const last = Number(bottom) === 0 || Number(bottom) > rows ? rows : Number(bottom)
    if (first >= last) return
    if (first === 1 && last === rows) delete this.margins[this.screen]
    else this.margins[this.screen] = [first - 1, last - 1]
  }
}

/** A title without control characters, of a bounded length. */
const clean = (title: string): string => title.slice(0, mostTitle).replaceAll(/\p{Cc}/gu, "")
