/** One process in the list. */
import { type Seen, stateOf } from "../model/Outage.ts"
import { isOver, type Key, keyOf, type Place, type Row, titleOf } from "../model/Rows.ts"
import type { Tiles } from "../model/Tiles.ts"
import * as Words from "../model/Words.ts"
import { el, iconButton, mark, say } from "./dom.ts"

/** A row. */
export interface ListRow {
  readonly element: HTMLElement
  /** Shows it as somebody has seen it at a time of this browser, in milliseconds since 1970. */
  readonly show: (row: Row, tiles: Tiles, as: Seen, now: number) => void
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
    iconButton(
      "beside",
      `Open ${titleOf(first)} beside the others (b, or Shift click)`,
      () => open(first, true),
      "row-beside",
    ),
  )
  return {
    element,
    show: (row, { open, focused }, as, now) => {
      const tone = isOver(row) ? Words.toneOf(row) : as === "gone" ? "calm" : "running"
      for (const part of [dot, sub]) mark(part, "data-tone", tone)
      say(title, titleOf(row))
      const command = row.name === undefined ? [] : [Words.command(row.argv)]
      const labels = Object.entries(row.labels).map(([name, value]) =>
        value === "" ? name : `${name}=${value}`,
      )
      say(sub, [stateOf(row, as, now), ...command, ...labels].join(" \u00b7 "))
      mark(button, "aria-current", key === focused ? "true" : false)
      mark(element, "data-open", open.includes(key))
      mark(button, "title", `${titleOf(row)}\n${Words.command(row.argv)}`)
    },
  }
}
