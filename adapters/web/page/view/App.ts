/** The page of a visitor who is in: the list, the terminals, the dialogs, and their updates. */
import type * as Link from "../link/Link.ts"
import * as Site from "../link/Site.ts"
import * as Keys from "../model/Keys.ts"
import type { Action } from "../model/Keys.ts"
import * as Outage from "../model/Outage.ts"
import * as Rows from "../model/Rows.ts"
import { nextTheme, scaled } from "../model/Settings.ts"
import * as Store from "../model/Store.ts"
import * as Tiles from "../model/Tiles.ts"
import * as Live from "./Live.ts"
import * as Messages from "./Messages.ts"
import * as Login from "./Login.ts"
import type { Page } from "./Page.ts"
import * as ProcessList from "./ProcessList.ts"
import * as Remembered from "./Remembered.ts"
import { Renderers } from "./Screen.ts"
import * as StartDialog from "./StartDialog.ts"
import * as TileArea from "./TileArea.ts"
import { button, el, icon, iconButton, mark, say } from "./dom.ts"

/**
 * Shows the page; `refused` is why the link that the visitor has opened was not taken. `enter` is called when another
 * link is opened in this tab.
 */
export const show = (
  link: Link.Link,
  { name }: Site.Info,
  refused: string | undefined,
): { readonly enter: () => void } => {
  const { settings, look } = Remembered.choices()
  const announcer = Messages.make()
  const tiles = Store.make<Tiles.Tiles>(Tiles.none)
  const page: Page = {
    link,
    settings,
    look,
    tiles,
    renderers: new Renderers(),
    started: Remembered.started(),
    announce: announcer.announce,
    open: (place, beside) => {
      const key = Rows.keyOf(place)
      area.forget(key)
      tiles.set(Tiles.opened(tiles.get(), key, beside))
    },
    act: (action) => act(action),
  }
  const start = StartDialog.make(page)
  const help = makeHelp()
  const list = ProcessList.make(page)
  const area = TileArea.make(page, start)
  const act = actions(page, { start, help, list, area })
  const outage = Login.makeBar(link)
  document.body.append(
    outage.element,
    side(page, name, list.element, start),
    area.element,
    start.element,
    help,
    announcer.element,
  )
  document.addEventListener("keydown", (event) => onKey(event, act), { capture: true })
  Live.begin(page, name)
  if (refused !== undefined) announcer.announce(refused, "bad")
  return { enter: outage.enter }
}

interface Parts {
  readonly start: StartDialog.StartDialog
  readonly help: HTMLDialogElement
  readonly list: ProcessList.ProcessList
  readonly area: TileArea.TileArea
}

const actions = (page: Page, { start, help, list, area }: Parts) => {
  const { tiles, settings } = page
  const scale = (pixels: number) => {
    settings.set(scaled(settings.get(), pixels))
    page.announce(`Letters of ${settings.get().fontSize} pixels`)
  }
  const all: Partial<Record<Action, () => void>> = {
    help: () => (help.open ? help.close() : help.showModal()),
    filter: list.focusFilter,
    start: start.open,
    shell: start.shell,
    down: () => list.move(1),
    up: () => list.move(-1),
    beside: list.beside,
    list: () => {
      if (TileArea.narrow.matches) tiles.set(Tiles.none)
      list.focus()
    },
    previousTile: () => tiles.set(Tiles.moved(tiles.get(), -1)),
    nextTile: () => tiles.set(Tiles.moved(tiles.get(), 1)),
    maximize: () => tiles.set({ ...tiles.get(), alone: !tiles.get().alone && tiles.get().open.length > 1 }),
    close: () => {
      const { focused } = tiles.get()
      if (focused !== undefined) tiles.set(Tiles.closed(tiles.get(), focused))
      if (tiles.get().open.length === 0) list.focus()
    },
    theme: () => {
      const theme = nextTheme(settings.get().theme)
      settings.set({ ...settings.get(), theme })
      page.announce(`Colors: ${theme === "system" ? "as the system" : theme}`)
    },
    smaller: () => scale(-1),
    larger: () => scale(1),
    reader: () => {
      const reader = !settings.get().reader
      settings.set({ ...settings.get(), reader })
      page.announce(`Screen reader mode is ${reader ? "on" : "off"}`)
    },
  }
  return (action: Action): void => {
    const own = all[action]
    if (own === undefined) area.act(action)
    else own()
  }
}

const onKey = (event: KeyboardEvent, act: (action: Action) => void): void => {
  if (event.isComposing) return
  const target = event.target as Element
  const inDialog = target.closest("dialog") !== null
  const action = Keys.actionOf(event, inDialog || target.closest("input, textarea, select") !== null)
  if (action === undefined || (inDialog && action !== "help")) return
  // The browser pastes.
  if (action === "paste") return
  event.preventDefault()
  event.stopPropagation()
  act(action)
}

const side = (page: Page, name: string, list: HTMLElement, start: StartDialog.StartDialog): HTMLElement => {
  const dot = el("span", { class: "dot" })
  const text = el("span", {})
  const state = el("p", { class: "link", role: "status" }, dot, text)
  page.link.status.follow((status) => {
    const isLost = status.kind === "lost"
    mark(dot, "data-tone", isLost ? "bad" : "good")
    say(text, isLost ? Outage.headline(status) : name === "" ? "Connected" : name)
    mark(state, "title", isLost ? status.message : false)
    mark(document.body, "data-link", status.kind)
  })
  const leave = iconButton("leave", "Log out", () => void Site.logout().then(() => location.reload()))
  return el(
    "aside",
    { class: "side" },
    el(
      "header",
      { class: "brand" },
      el("h1", {}, "procwire"),
      el(
        "div",
        { class: "tools" },
        iconButton("smaller", "Smaller letters in terminals (-)", () => page.act("smaller")),
        iconButton("larger", "Larger letters in terminals (+)", () => page.act("larger")),
        iconButton("theme", "Light, dark, or as the system (t)", () => page.act("theme")),
        iconButton("reader", "Screen reader mode (r)", () => page.act("reader"), "reader-switch"),
        iconButton("help", "Shortcuts (?)", () => page.act("help")),
        leave,
      ),
      state,
    ),
    el(
      "div",
      { class: "starts" },
      button(icon("plus"), start.open, { class: "button primary start" }, "Start a process"),
      button(icon("shell"), start.shell, { title: "Open a shell (s)" }, "Shell"),
    ),
    list,
  )
}

export const makeHelp = (): HTMLDialogElement => {
  const close = button("Close", () => dialog.close())
  const dialog = el(
    "dialog",
    { class: "help", "aria-label": "Shortcuts" },
    el("h2", {}, "Shortcuts"),
    helpTable("Where nothing is typed", false),
    helpTable("Everywhere, also in a terminal, which gets all other keys", true),
    el("p", { class: "dim" }, "Enter opens a process of the list, Shift Enter opens it beside the others."),
    el("div", { class: "actions" }, close),
  )
  return dialog
}

const helpTable = (caption: string, everywhere: boolean): HTMLTableElement =>
  el(
    "table",
    {},
    el("caption", {}, caption),
    el(
      "tbody",
      {},
      ...Keys.shortcuts
        .filter((shortcut) => shortcut.everywhere === everywhere)
        .map((shortcut) =>
          el("tr", {}, el("th", { scope: "row" }, ...keysOf(shortcut)), el("td", {}, shortcut.says)),
        ),
    ),
  )

const keysOf = (shortcut: Keys.Shortcut) => Keys.written(shortcut).map((keys) => el("kbd", {}, keys))
