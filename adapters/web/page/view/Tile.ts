/** A process that is shown: its head, its terminal, and what belongs to them. */
import type { Closed, Exited } from "../../../../core/client/ProcessEvent.ts"
import type { TerminalSize } from "../../../../core/protocol/Process.ts"
import { features } from "../features/Features.ts"
import * as Acting from "../link/Acting.ts"
import { Attachment, messageOf } from "../link/Attachment.ts"
import type { Display } from "../model/Follower.ts"
import * as Keys from "../model/Keys.ts"
import * as Outage from "../model/Outage.ts"
import { PipeText, unmarked } from "../model/PipeText.ts"
import { type Key, type Row, isOver, keyOf, titleOf } from "../model/Rows.ts"
import * as Tiles from "../model/Tiles.ts"
import * as Browser from "./Browser.ts"
import * as FindBar from "./FindBar.ts"
import * as History from "./History.ts"
import * as Inputs from "./Inputs.ts"
import * as Messages from "./Messages.ts"
import { type Page, later, sight } from "./Page.ts"
import * as PortBar from "./PortBar.ts"
import { Screen } from "./Screen.ts"
import * as TileHeader from "./TileHeader.ts"
import { type Bar, el, mark } from "./dom.ts"

/** Reports of mice and windows to a program in a terminal; no person has typed them. */
// oxlint-disable-next-line no-control-regex
const report = /^\u001b\[(?:[<MIO]|\d+;\d+;\d+M)/

export class Tile {
  readonly key: Key
  readonly element: HTMLElement
  /** The start of the server that the process belongs to. */
  private readonly instance: string
  private row: Row
  private told: TileHeader.Outcome = {}
  private readonly page: Page
  private readonly host = el("div", { class: "screen" })
  private readonly notice = Messages.makeNotice()
  private readonly header: TileHeader.TileHeader
  private readonly screen: Screen
  private readonly attachment: Attachment
  private readonly find: Bar
  private readonly ports: Bar
  private readonly keyBar: Inputs.KeyBar
  private readonly stdin: HTMLElement
  private readonly ends: Array<() => void> = []
  private readonly past: History.History

  constructor(page: Page, row: Row) {
    this.page = page
    this.row = row
    this.instance = page.link.instance.get()
    this.key = keyOf(row)
    this.header = TileHeader.make(row, page.link.can, this.presses())
    this.keyBar = Inputs.make((data) => this.typed(data))
    this.stdin = Inputs.stdinLine({
      write: (text) => this.typed(text),
      end: () => void this.trying(() => this.attachment.live().closeStdin()),
    })
    this.element = el("section", { class: "tile", "aria-label": titleOf(row), "data-key": this.key })
    document.querySelector("#tiles")?.append(this.element)
    this.element.append(
      this.header.element,
      this.notice.element,
      this.host,
      this.stdin,
      this.keyBar.element,
      this.header.facts,
    )
    this.screen = this.newScreen(this.host, (data) => this.typed(this.keyBar.with(data)))
    this.find = FindBar.make(
      this.screen,
      () => page.look.get().dark,
      () => this.focus(),
    )
    this.ports = PortBar.make({
      way: (port) => this.attachment.live().port(port),
      text: () => this.screen.allText(),
      done: () => this.focus(),
    })
    this.notice.element.after(this.find.element, this.ports.element)
    this.attachment = new Attachment({
      link: page.link,
      row,
      display: displayOn(this.screen, page.link.can("outputHistory"), {
        painted: () => this.resize(),
        exited: (exited) => {
          this.told = { ...this.told, exited }
          this.show()
          void page.link.refresh().catch(() => {})
        },
        closed: (event) => {
          this.told = { ...this.told, closed: features.flatMap(({ closed }) => closed?.(event) ?? []) }
          this.show()
        },
      }),
      write: page.started.has(this.key),
      looked: !document.hidden,
      later,
    })
    this.past = History.make({
      parent: this.element,
      refused: page.link.can("outputHistory") ? undefined : "The server keeps no output in files.",
      past: {
        history: async (options) => (await this.attachment.attached()).history(options),
        grep: async (options) => (await this.attachment.attached()).grep(options),
      },
      screenIn: (host) => this.newScreen(host, () => {}, History.historyBytes),
      tell: this.notice.tell,
      settings: page.settings,
      closed: () => this.focus(),
    })
    this.follow()
    void this.attachment.run()
  }

  private newScreen(host: HTMLElement, typed: (data: string) => void, scrollback = 10_000): Screen {
    return new Screen({
      host,
      look: this.page.look.get(),
      renderers: this.page.renderers,
      label: `Terminal of ${titleOf(this.row)}`,
      lines: !this.row.tty,
      scrollback,
      typed,
      isShortcut: (event) => Keys.actionOf(event, true) !== undefined,
    })
  }

  private presses(): TileHeader.Presses {
    const { page } = this
    return {
      act: (action) => {
        page.tiles.set({ ...page.tiles.get(), focused: this.key })
        page.act(action)
      },
      send: (sending) => void this.trying(() => Acting.send(this.attachment.live(), sending)),
      remove: () =>
        void this.trying(async () => {
          if (!this.isGone) await Acting.remove(page.link, this.row)
          page.tiles.set(Tiles.closed(page.tiles.get(), this.key))
          if (!this.isGone) await page.link.refresh()
        }),
      port: () => this.ports.open(),
      press: (button) => void this.trying(() => button.press(page, this.row)),
      save: () => void this.trying(() => this.save()),
    }
  }

  private follow(): void {
    const { page, attachment, screen } = this
    this.ends.push(
      attachment.writes.follow((writes) => {
        screen.answers = writes
        this.show()
        this.resize()
      }),
      attachment.state.follow((state) => {
        mark(this.element, "data-state", state.kind)
        this.notify()
      }),
      page.link.status.follow(() => {
        this.notify()
        this.show()
      }),
      page.link.instance.follow((instance) => {
        if (instance === this.instance) return
        attachment.lose(Outage.aboveGone)
        this.show()
      }),
      page.look.follow((look) => {
        screen.setLook(look)
        this.resize()
      }),
      Browser.watch(this.host, {
        resized: () => this.resize(),
        looked: (visible) => attachment.look(visible),
      }),
    )
  }

  /** Says what lasts: that the process is gone, or that there is no connection. */
  private notify(): void {
    const state = this.attachment.state.get()
    const status = this.page.link.status.get()
    if (state.kind === "gone") this.notice.tell(sentence(state.message), true)
    else if (status.kind === "lost") this.notice.tell(Outage.above(status), true)
    else this.notice.untell()
  }

  /** True if the process is gone, with an earlier start of the server. */
  get isGone(): boolean {
    return this.page.link.instance.get() !== this.instance
  }

  /** True if the process has ended, and everything that it printed was shown. */
  get hasEnded(): boolean {
    return this.attachment.state.get().kind === "closed"
  }

  private async kept(times: boolean): Promise<ReadonlyArray<Uint8Array>> {
    return Acting.readLog(await this.attachment.attached(), times)
  }

  /** Gives the browser the output as a file: all that the server keeps, or else what the terminal holds. */
  private async save(): Promise<void> {
    const { times } = this.page.settings.get()
    const kept = this.isGone ? undefined : await this.kept(times).catch(() => undefined)
    if (kept === undefined)
      this.notice.tell("The file has what this terminal holds: the server keeps no more.")
    Browser.save(
      `${fileName(titleOf(this.row))}.log`,
      kept ?? [new TextEncoder().encode(this.screen.allText())],
    )
  }

  private resize(): void {
    const { row, screen, attachment } = this
    const inControl = attachment.writes.get() && !isOver(row) && this.told.exited === undefined
    const size = adapt(screen, row, inControl)
    if (size === undefined || !this.page.link.can("processResize")) return
    this.row = { ...row, terminalSize: size }
    void attachment.resize(size).catch(() => {})
  }

  private typed(data: string): void {
    const { attachment } = this
    if (this.isGone) return this.notice.tell("The process is gone.")
    if (this.told.exited !== undefined || isOver(this.row)) return this.notice.tell("The process has ended.")
    if (!attachment.writes.get()) {
      if (report.test(data)) return
      return this.notice.tell("Read-only: what you type is not sent. Take control with Ctrl Shift E.")
    }
    void this.trying(() => attachment.write(data))
  }

  private async trying(run: () => Promise<unknown>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.notice.tell(messageOf(error))
    }
  }

  show(): void {
    const { seen, at } = sight(this.page.link, this.instance)
    this.header.show(
      this.row,
      TileHeader.factsOf(this.row, this.told, seen, at),
      this.attachment.writes.get(),
      (button) => seen === "now" && button.isOffered(this.page.link, this.row),
    )
    mark(this.header.facts, "title", `Started ${new Date(this.row.startedAtMs).toLocaleString()}`)
    this.stdin.hidden = this.row.tty || !this.attachment.writes.get() || this.told.exited !== undefined
    mark(this.element, "data-writes", this.attachment.writes.get())
    const lines = this.told.closed?.flatMap(({ lines }) => lines) ?? []
    mark(this.header.element, "title", lines.length > 0 && lines.join("\n"))
  }

  update(row: Row): void {
    const { terminalSize } = this.row
    this.row = row
    if (!isSame(row.terminalSize, terminalSize)) this.resize()
    this.show()
  }

  focus(): void {
    if (!this.past.isOpen()) this.screen.terminal.focus()
  }

  /** Does what a shortcut says; false if that is nothing of a tile. */
  act(action: Keys.Action): boolean {
    if (action === "find") this.find.open()
    else if (action === "history") this.past.toggle()
    else if (action === "copy") void this.copy()
    else if (action === "control") void this.trying(() => this.changeControl())
    else return false
    return true
  }

  private async changeControl(): Promise<void> {
    const { attachment } = this
    await (attachment.writes.get() ? attachment.release() : attachment.control(true))
    this.page.announce(attachment.writes.get() ? "You are in control" : "Read-only")
  }

  private async copy(): Promise<void> {
    const text = unmarked(this.screen.text())
    this.notice.tell((await Browser.copy(text)) ? "Copied." : "The browser does not let the page copy.")
  }

  dispose(): void {
    for (const end of this.ends) end()
    this.notice.dispose()
    this.past.close()
    this.screen.dispose()
    this.element.remove()
    void this.attachment.leave()
  }
}

const sentence = (text: string): string => (text.endsWith(".") ? text : `${text}.`)

const fileName = (title: string): string =>
  title
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    .replaceAll(/^[-.]+|-+$/g, "")
    .slice(0, 60) || "process"

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

export const isSame = (one: TerminalSize | undefined, other: TerminalSize | undefined): boolean =>
  one?.rows === other?.rows && one?.columns === other?.columns

/** The other listeners of the events. */
export interface Heard {
  readonly painted: () => void
  readonly exited: (event: Exited) => void
  readonly closed: (event: Closed) => void
}

export const displayOn = (screen: Screen, hasHistory: boolean, heard: Heard): Omit<Display, "failed"> => {
  const pipes = new PipeText()
  const elsewhere = hasHistory ? "; the history may have it" : ""
  return {
    output: (stream, bytes) => screen.intake.write(stream === "pty" ? bytes : pipes.take(stream, bytes)),
    room: () => screen.intake.room(),
    paint: ({ size, ansi = "" }) => screen.paint(size, ansi, heard.painted),
    gap: (from, to) => {
      const what = `output ${from} to ${to} was passed over${elsewhere}`
      screen.intake.write(`\u001b[0m\r\n\u001b[2m\u2014 ${what} \u2014\u001b[0m\r\n`)
    },
    exited: heard.exited,
    closed: heard.closed,
  }
}
