/** The room of the tiles: shows those that are open, side by side or one alone. */
import type { Action } from "../model/Keys.ts"
import { isOver, type Key } from "../model/Rows.ts"
import * as Tiles from "../model/Tiles.ts"
import { button, el, mark } from "./dom.ts"
import type { Page } from "./Page.ts"
import type { StartDialog } from "./StartDialog.ts"
import { Tile } from "./Tile.ts"

export interface TileArea {
  readonly element: HTMLElement
  /** Closes what shows a process of an earlier start of the server under this key: another one takes its place. */
  readonly forget: (key: Key) => void
  /** Does what a shortcut says, in the tile with the focus; false if that is nothing of a tile. */
  readonly act: (action: Action) => boolean
}

/** Makes it; it is in the page when the first tile opens. */
export const make = (page: Page, start: Pick<StartDialog, "open" | "shell">): TileArea => {
  const shown = new Map<Key, Tile>()
  const empty = emptyState(start)
  const element = el("main", { id: "tiles", class: "tiles", "aria-label": "Terminals" }, empty)

  const layOut = () => {
    const { open, focused, alone } = page.tiles.get()
    const single = alone || narrow.matches
    const visible = single ? open.filter((key) => key === focused) : open
    const { columns, rows } = Tiles.grid(visible.length, element.clientWidth, element.clientHeight)
    element.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`
    element.style.gridTemplateRows = `repeat(${rows}, minmax(0, 1fr))`
    for (const [key, tile] of shown) {
      tile.element.hidden = !visible.includes(key)
      tile.element.style.order = String(open.indexOf(key))
      mark(tile.element, "data-focused", key === focused && visible.length > 1)
    }
    empty.hidden = open.length > 0
    mark(document.body, "data-open", open.length > 0)
  }

  const sync = () => {
    const { open, focused } = page.tiles.get()
    const rows = page.link.lists.get()?.rows
    for (const [key, tile] of shown) {
      if (open.includes(key)) continue
      shown.delete(key)
      tile.dispose()
    }
    let fresh = false
    for (const key of open) {
      const row = rows?.get(key)
      const tile = shown.get(key)
      if (row === undefined || tile?.isGone === true) continue
      if (tile?.hasEnded === true && !isOver(row)) {
        // It was started again: its output is a new one.
        shown.delete(key)
        tile.dispose()
      }
      if (shown.has(key)) tile?.update(row)
      else {
        shown.set(key, new Tile(page, row))
        fresh = true
      }
    }
    layOut()
    return fresh ? focused : undefined
  }

  let focused: Key | undefined
  page.tiles.follow((tiles) => {
    sync()
    if (tiles.focused !== focused && tiles.focused !== undefined) shown.get(tiles.focused)?.focus()
    focused = tiles.focused
  })
  page.link.lists.follow(() => {
    const opened = sync()
    if (opened !== undefined) shown.get(opened)?.focus()
  })
  setInterval(() => shown.forEach((tile) => tile.show()), 1000)
  new ResizeObserver(layOut).observe(element)
  element.addEventListener("focusin", (event) => {
    const key = (event.target as Element).closest<HTMLElement>(".tile")?.dataset["key"]
    const tiles = page.tiles.get()
    if (key === undefined || key === tiles.focused) return
    focused = key
    page.tiles.set({ ...tiles, focused: key })
  })
  return {
    element,
    forget: (key) => {
      if (shown.get(key)?.isGone === true) page.tiles.set(Tiles.closed(page.tiles.get(), key))
    },
    act: (action) => shown.get(page.tiles.get().focused ?? "")?.act(action) ?? false,
  }
}

/** The room is that of a phone: one terminal at a time. */
export const narrow = matchMedia("(max-width: 700px)")

const emptyState = ({ open, shell }: Pick<StartDialog, "open" | "shell">): HTMLElement =>
  el(
    "div",
    { class: "empty" },
    el("p", {}, "No terminal is open."),
    el("p", { class: "dim" }, "Choose a process in the list, or start one. Press ? for all shortcuts."),
    el(
      "div",
      { class: "actions" },
      button("Start a process", open, { class: "button primary" }),
      button("Open a shell", shell),
    ),
  )
