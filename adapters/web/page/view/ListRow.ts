/** One process in the list. */
import { isOver, type Key, keyOf, type Place, type Row, titleOf } from "../model/Rows.ts"
import type { Tiles } from "../model/Tiles.ts"
import * as Words from "../model/Words.ts"
import { el, iconButton, mark, say } from "./dom.ts"

/** A row. */
export interface ListRow {
  readonly element: HTMLElement
  readonly show: (row: Row, tiles: Tiles, now: number) => void
}

/** Makes one; `open` shows the process, alone or beside the others. */
export const make = (first: Row, open: (place: Place, beside: boolean) => void): ListRow => {
  const key: Key = keyOf(first)
  const dot = el("span", { class: "dot", "aria-hidden": "true" })
  const title = el("span", { class: "row-title" })
  const sub = el("span", { class: "row-sub" })
  const press = (event: MouseEvent) => open(first, event.shiftKey || event.ctrlKey || event.metaKey)
  const button = el("button", { type: "button", class: "row-open", onclick: press }, dot, title, sub)
  const element = el(
    "li",
    { class: "row", "data-key": key },
    button,
    iconButton("beside", "Open beside the others (b, or Shift click)", () => open(first, true), "row-beside"),
  )
  return {
    element,
    show: (row, { open, focused }, now) => {
      const over = isOver(row)
      const tone = over ? Words.toneOf(row) : "running"
      for (const part of [dot, sub]) mark(part, "data-tone", tone)
      say(title, titleOf(row))
      const command = row.name === undefined ? [] : [Words.command(row.argv)]
      const state = over
        ? Words.ending(row)
        : row.state === "starting"
          ? "starting"
          : Words.running(now - row.startedAtMs)
      const labels = Object.entries(row.labels).map(([name, value]) =>
        value === "" ? name : `${name}=${value}`,
      )
      say(sub, [state, ...command, ...labels].join(" \u00b7 "))
      mark(button, "aria-current", key === focused ? "true" : false)
      mark(element, "data-open", open.includes(key))
      mark(button, "title", `${titleOf(row)}\n${Words.command(row.argv)}`)
    },
  }
}
