/** What a terminal of `@xterm/headless` does not tell of its state, read from the sequences that it parses. */
import type { Terminal } from "@xterm/headless"
import type { Cursor } from "../../../core/protocol/Screen.ts"

/** The most characters of a title, and the most titles that a program can put aside. */
const mostTitle = 1024
const mostTitles = 10

/** The most sequences that are kept for the look of the next character. */
const mostPen = 64

/** UTF-8, SGR, urxvt and SGR in pixels; the last one that is switched counts. */
const mouseEncodings: ReadonlySet<Params[number]> = new Set([1005, 1006, 1015, 1016])

type Params = ReadonlyArray<number | Array<number>>

/** The state of one terminal. */
export class XtermState {
  title = ""
  cursorVisible = true
  /** The mode that says how clicks are told; undefined is the usual way. */
  mouseEncoding: number | undefined
  cursorStyle: Pick<Cursor, "shape" | "blinks"> = { shape: "block", blinks: true }
  /** The sequences since the last one that begins anew. */
  pen: Array<string> = []
  margins: { normal?: readonly [number, number]; alternate?: readonly [number, number] } = {}
  private readonly titles: Array<string> = []
  private savedPen: Array<string> = []
  private readonly terminal: Terminal

  constructor(terminal: Terminal) {
    this.terminal = terminal
    const { parser } = terminal
    // Who returns false leaves the sequence to the terminal.
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
