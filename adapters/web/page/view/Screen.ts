/** One terminal of the page: xterm.js with its add-ons, as the rest of the page uses it. */
import { FitAddon } from "@xterm/addon-fit"
import { SearchAddon } from "@xterm/addon-search"
import { WebLinksAddon } from "@xterm/addon-web-links"
import { WebglAddon } from "@xterm/addon-webgl"
import { Terminal } from "@xterm/xterm"
import type { TerminalSize } from "../../../../core/protocol/Process.ts"
import { Intake } from "../model/Intake.ts"
import { fittingSize } from "../model/Lines.ts"
import type { Settings } from "../model/Settings.ts"
import * as Colors from "./Colors.ts"
import { mark } from "./dom.ts"

export interface Look extends Pick<Settings, "reader" | "fontSize"> {
  readonly dark: boolean
}

export interface Options {
  readonly host: HTMLElement
  readonly look: Look
  readonly renderers: Renderers
  readonly label: string
  /** True for lines of pipes: a line feed ends a line, and there is no cursor. */
  readonly lines: boolean
  /** The number of lines above its screen. */
  readonly scrollback: number
  /** Somebody types, or the terminal answers a question. */
  readonly typed: (data: string) => void
  /** True if a key is a shortcut of the page, which the terminal does not get. */
  readonly isShortcut: (event: KeyboardEvent) => boolean
}

const fonts = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'

/** Opens a link in a tab of its own that knows nothing of this one. */
const open = (_: MouseEvent, uri: string): void => {
  if (/^https?:/i.test(uri)) window.open(uri, "_blank", "noopener,noreferrer")
}

export class Screen {
  readonly terminal: Terminal
  readonly search = new SearchAddon()
  readonly intake: Intake
  /** True if it answers questions of the program: only the terminal of the writer does. */
  answers = false
  /** Pictures that are not painted yet. */
  private pictures = 0
  private readonly fit = new FitAddon()
  private readonly host: HTMLElement
  private readonly undraw: () => void
  private look: Look
  private readonly lines: boolean

  constructor({ host, look, renderers, label, lines, scrollback, typed, isShortcut }: Options) {
    this.host = host
    this.look = look
    this.lines = lines
    this.terminal = new Terminal({
      allowProposedApi: true,
      convertEol: lines,
      cursorInactiveStyle: lines ? "none" : "outline",
      disableStdin: lines,
      fontFamily: fonts,
      linkHandler: { activate: open },
      macOptionIsMeta: true,
      minimumContrastRatio: 4.5,
      scrollback,
      ...optionsOf(look, lines),
    })
    const { terminal } = this
    for (const addon of [this.fit, this.search, new WebLinksAddon(open)]) terminal.loadAddon(addon)
    terminal.open(host)
    terminal.textarea?.setAttribute("aria-label", label)
    this.undraw = renderers.attach(terminal, (renderer) => (host.dataset["renderer"] = renderer))
    terminal.attachCustomKeyEventHandler((event) => !isShortcut(event))
    terminal.onData(typed)
    this.muteQuestions()
    touchable(terminal, host, typed)
    this.intake = new Intake(terminal)
    if (lines) terminal.write("\u001b[?25l")
  }

  /** Questions whose answer would be typed: attributes, states, modes and colors. */
  private muteQuestions(): void {
    const { parser } = this.terminal
    const mute = () => !this.answers
    const asks = (data: string) => data.includes("?") && !this.answers
    for (const id of [
      { final: "c" },
      { prefix: ">", final: "c" },
      { prefix: "=", final: "c" },
      { prefix: ">", final: "q" },
      { final: "n" },
      { prefix: "?", final: "n" },
      { intermediates: "$", final: "p" },
      { prefix: "?", intermediates: "$", final: "p" },
    ])
      parser.registerCsiHandler(id, mute)
    parser.registerCsiHandler(
      { final: "t" },
      ([kind]) => !this.answers && typeof kind === "number" && kind > 10,
    )
    parser.registerDcsHandler({ intermediates: "$", final: "q" }, mute)
    for (const color of [4, 10, 11, 12]) parser.registerOscHandler(color, asks)
  }

  /** Shows a picture in place of everything; its size holds until it is there. */
  paint(size: TerminalSize, ansi: string, done: () => void): void {
    this.terminal.reset()
    this.setSize(size)
    this.pictures += 1
    this.intake.write(ansi, () => {
      this.pictures -= 1
      if (this.pictures === 0) done()
    })
  }

  setLook(look: Look): void {
    this.look = look
    Object.assign(this.terminal.options, optionsOf(look, this.lines))
  }

  /** Takes all the room, with letters of the wanted size: the size of the terminal then; undefined without room. */
  fill(): TerminalSize | undefined {
    if (this.pictures > 0) return undefined
    this.setFont(this.look.fontSize)
    mark(this.host, "data-scrolls", false)
    const proposed = this.fit.proposeDimensions()
    if (proposed === undefined || Number.isNaN(proposed.cols) || this.host.clientHeight === 0)
      return undefined
    const size = { columns: Math.max(2, proposed.cols), rows: Math.max(1, proposed.rows) }
    this.setSize(size)
    return size
  }

  /** Shows a terminal of a foreign size: with smaller letters where it would not fit. */
  show(size: TerminalSize): void {
    if (this.pictures > 0) return
    this.setSize(size)
    const cell = this.cell()
    if (cell === undefined) return
    const { fontSize } = this.look
    const now = this.terminal.options.fontSize ?? fontSize
    const wanted = { width: (cell.width * fontSize) / now, height: (cell.height * fontSize) / now }
    const room = { width: this.host.clientWidth - 22, height: this.host.clientHeight - 8 }
    if (room.width <= 0 || room.height <= 0) return
    const fitting = fittingSize(fontSize, wanted, size, room)
    this.setFont(fitting)
    const scale = fitting / fontSize
    const width = wanted.width * scale * size.columns
    const height = wanted.height * scale * size.rows
    mark(this.host, "data-scrolls", width > room.width + 1 || height > room.height + 1)
  }

  /** The size of a cell, in pixels; undefined while nothing is drawn. */
  private cell(): { readonly width: number; readonly height: number } | undefined {
    const drawn = this.host.querySelector<HTMLElement>(".xterm-screen")
    if (drawn === null || drawn.clientWidth === 0) return undefined
    return { width: drawn.clientWidth / this.terminal.cols, height: drawn.clientHeight / this.terminal.rows }
  }

  private setFont(size: number): void {
    if (this.terminal.options.fontSize !== size) this.terminal.options.fontSize = size
  }

  private setSize({ columns, rows }: TerminalSize): void {
    if (this.terminal.cols !== columns || this.terminal.rows !== rows) this.terminal.resize(columns, rows)
  }

  /** The selected text, or else that of the screen. */
  text(): string {
    const { terminal } = this
    if (terminal.hasSelection()) return terminal.getSelection()
    const { active } = terminal.buffer
    const lines = Array.from(
      { length: terminal.rows },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? "",
    )
    return `${lines.join("\n").trimEnd()}\n`
  }

  allText(): string {
    const { active } = this.terminal.buffer
    let text = ""
    for (let at = 0; at < active.length; at += 1) {
      const line = active.getLine(at)
      if (at > 0 && line?.isWrapped !== true) text += "\n"
      text += line?.translateToString(active.getLine(at + 1)?.isWrapped !== true) ?? ""
    }
    return `${text.trimEnd()}\n`
  }

  dispose(): void {
    this.intake.release()
    this.undraw()
    this.terminal.dispose()
  }
}

const optionsOf = ({ dark, reader, fontSize }: Look, lines: boolean) => ({
  theme: Colors.of(dark, lines),
  screenReaderMode: reader,
  fontSize,
})

/** A finger scrolls, or in a program that has the whole screen it presses the arrow keys; `typed` gets the keys. */
const touchable = (terminal: Terminal, host: HTMLElement, typed: (data: string) => void): void => {
  let y: number | undefined
  host.addEventListener(
    "touchstart",
    ({ touches }) => (y = touches.length === 1 ? touches[0]?.clientY : undefined),
    {
      passive: true,
    },
  )
  host.addEventListener(
    "touchmove",
    (event) => {
      const now = event.touches[0]?.clientY
      if (y === undefined || now === undefined) return
      event.preventDefault()
      const lines = Math.trunc((y - now) / Math.max(8, host.clientHeight / terminal.rows))
      if (lines === 0) return
      y = now
      if (terminal.buffer.active.type === "normal") return terminal.scrollLines(lines)
      const arrow = terminal.modes.applicationCursorKeysMode ? "\u001bO" : "\u001b["
      typed(`${arrow}${lines > 0 ? "B" : "A"}`.repeat(Math.abs(lines)))
    },
    { passive: false },
  )
}

export type Renderer = "webgl" | "dom"

/** The most contexts of a page. */
const most = 12

/** Draws the terminals of a page. */
export class Renderers {
  private contexts = 0

  /** Draws an open terminal; `told` gets the way, also when that changes. The result gives the context back. */
  attach(terminal: Terminal, told: (renderer: Renderer) => void): () => void {
    if (this.contexts >= most) return plain(told)
    const addon = new WebglAddon()
    try {
      terminal.loadAddon(addon)
    } catch {
      return plain(told)
    }
    this.contexts += 1
    let given = false
    const give = () => {
      if (given) return
      given = true
      this.contexts -= 1
      addon.dispose()
    }
    addon.onContextLoss(() => {
      give()
      told("dom")
    })
    told("webgl")
    return give
  }
}

const plain = (told: (renderer: Renderer) => void) => {
  told("dom")
  return () => {}
}
