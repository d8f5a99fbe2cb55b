/** The head of a tile: what is shown in it and what can be done; and its foot, with the facts. */
import { type Sending, sendings } from "../link/Acting.ts"
import type { Action } from "../model/Keys.ts"
import { type Row, titleOf } from "../model/Rows.ts"
import * as Words from "../model/Words.ts"
import { el, iconButton, mark, say } from "./dom.ts"
import type * as Facts from "./Facts.ts"

/** What the buttons do. */
export interface Presses {
  /** What a shortcut does. */
  readonly act: (action: Action) => void
  readonly send: (sending: Sending) => void
  readonly remove: () => void
}

/** The head of a tile, and the line of facts at its foot. */
export interface TileHeader {
  readonly element: HTMLElement
  readonly facts: HTMLElement
  /** Shows the facts; `writes` is whether this page is in control. */
  readonly show: (row: Row, facts: Facts.Facts, writes: boolean) => void
}

/** Makes one; `hasHistory` is whether the server keeps output in files. */
export const make = (row: Row, hasHistory: boolean, presses: Presses): TileHeader => {
  const title = el("h2", { class: "tile-title", title: Words.command(row.argv) })
  const dot = el("span", { class: "dot", "aria-hidden": "true" })
  const state = el("span", { class: "state" })
  const more = el("span", { class: "more" })
  const control = el("button", { type: "button", class: "control", onclick: () => presses.act("control") })
  const menu = sendMenu(presses.send)
  const remove = iconButton("trash", "Remove from the list", presses.remove)
  const element = el(
    "header",
    { class: "tile-header" },
    iconButton("back", "Back to the list", () => presses.act("close"), "only-narrow"),
    dot,
    title,
    el(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Terminal" },
      control,
      menu,
      remove,
      iconButton("search", "Find in the output (Ctrl Shift F)", () => presses.act("find")),
      hasHistory && iconButton("history", "History (Ctrl Shift H)", () => presses.act("history")),
      iconButton("copy", "Copy the selection, or the screen (Ctrl Shift C)", () => presses.act("copy")),
      iconButton(
        "maximize",
        "Alone, or beside the others (Ctrl Shift M)",
        () => presses.act("maximize"),
        "only-wide",
      ),
      iconButton(
        "close",
        "Close; the process goes on (Ctrl Shift X)",
        () => presses.act("close"),
        "only-wide",
      ),
    ),
  )
  const words = (writes: boolean) => (writes ? "Only look on (Ctrl Shift E)" : "Take control (Ctrl Shift E)")
  const show: TileHeader["show"] = (row, facts, writes) => {
    say(title, titleOf(row))
    say(state, facts.state)
    say(more, facts.more.map((fact) => ` \u00b7 ${fact}`).join(""))
    const over = facts.tone !== undefined
    for (const part of [dot, state]) mark(part, "data-tone", facts.tone ?? "running")
    control.hidden = over
    menu.hidden = over || !writes
    remove.hidden = !over
    mark(control, "aria-pressed", String(writes))
    say(control, writes ? "In control" : "Read-only")
    mark(control, "title", words(writes))
    mark(control, "aria-label", `${writes ? "In control" : "Read-only"}: ${words(writes)}`)
  }
  return { element, facts: el("p", { class: "facts" }, state, more), show }
}

const sendMenu = (send: (sending: Sending) => void): HTMLSelectElement => {
  const first = el("option", { value: "" }, "Signal")
  const menu = el(
    "select",
    { class: "send", "aria-label": "Send a signal" },
    first,
    ...sendings.map(({ id, says }) => el("option", { value: id }, says)),
  )
  menu.addEventListener("change", () => {
    const chosen = sendings.find(({ id }) => id === menu.value)
    menu.value = ""
    if (chosen !== undefined) send(chosen)
  })
  return menu
}
