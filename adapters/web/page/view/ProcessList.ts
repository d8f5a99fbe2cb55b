/** The list of processes, by session: filtered, live, and walked through with the arrow keys. */
import * as Acting from "../link/Acting.ts"
import { messageOf } from "../link/Attachment.ts"
import * as Filter from "../model/Filter.ts"
import { type Seen, stateOf } from "../model/Outage.ts"
import { type Group, type Key, type Place, type Row, grouped, isOver, keyOf, titleOf } from "../model/Rows.ts"
import type { Tiles } from "../model/Tiles.ts"
import * as Words from "../model/Words.ts"
import { type Page, sight } from "./Page.ts"
import { el, iconButton, mark, say } from "./dom.ts"

export interface ProcessList {
  readonly element: HTMLElement
  /** Goes to the next row, or with -1 to the one before. */
  readonly move: (step: 1 | -1) => void
  /** Opens the row with the focus beside the others. */
  readonly beside: () => void
  readonly focusFilter: () => void
  /** Gives the keyboard to the list: to the row that is open, or the first. */
  readonly focus: () => void
}

export const make = (page: Page): ProcessList => {
  const field = el("input", {
    type: "search",
    class: "filter",
    placeholder: "Filter",
    "aria-label": "Filter the processes",
    title: "Words, or state:running, state:failed, name:web, session:3, label:team=front",
    autocomplete: "off",
    spellcheck: "false",
  })
  const clear = iconButton("trash", "Remove those that have ended", () => void removeEnded())
  const summary = el("p", { class: "summary", role: "status" })
  const groups = el("div", { class: "groups" })
  const rows = new Map<Key, ListRow>()
  let ended: ReadonlyArray<Row> = []

  const removeEnded = async () => {
    await Promise.all(ended.map((row) => Acting.remove(page.link, row))).catch((error: unknown) =>
      page.announce(messageOf(error), "bad"),
    )
    await page.link.refresh().catch(() => {})
  }

  const rowOf = (row: Row): HTMLElement => {
    const key = keyOf(row)
    const known = rows.get(key) ?? makeRow(row, page.open)
    rows.set(key, known)
    const { seen, at } = sight(page.link, page.link.lists.get()?.instance)
    known.show(row, page.tiles.get(), seen, at)
    return known.element
  }

  const show = () => {
    const lists = page.link.lists.get()
    if (lists === undefined) return
    const all = [...lists.rows.values()]
    const wanted = all.filter(Filter.parse(field.value))
    for (const key of rows.keys()) if (!lists.rows.has(key)) rows.delete(key)
    const gone = sight(page.link, lists.instance).seen === "gone"
    ended = gone ? [] : wanted.filter((row) => row.state === "closed" && Acting.mayControl(page.link, row))
    clear.hidden = ended.length === 0
    const found = grouped(wanted, lists.sessions.find(({ own }) => own)?.session)
    const isOneOf = found.length > 1
    arrange(
      groups,
      found.map((group) => groupElement(group, isOneOf, rowOf)),
    )
    say(
      summary,
      gone ? `${Words.count(all.length, "process is", "processes are")} gone.` : summaryOf(all, wanted),
    )
  }

  field.addEventListener("input", show)
  field.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return
    walk(groups, field, 1)
    event.preventDefault()
  })
  page.link.lists.follow(show)
  page.tiles.follow(show)
  page.link.status.follow(show)

  return {
    element: el(
      "nav",
      { class: "list", "aria-label": "Processes" },
      el("div", { class: "filter-bar" }, field, clear),
      summary,
      groups,
    ),
    move: (step) => walk(groups, field, step),
    beside: () => {
      const key = document.activeElement?.closest<HTMLElement>(".row")?.dataset["key"]
      const row = page.link.lists.get()?.rows.get(key ?? "")
      if (row !== undefined) page.open(row, true)
    },
    focusFilter: () => {
      field.focus()
      field.select()
    },
    focus: () => (groups.querySelector<HTMLElement>("[aria-current]") ?? openers(groups)[0] ?? field).focus(),
  }
}

const openers = (groups: HTMLElement) => [...groups.querySelectorAll<HTMLElement>(".row-open")]

/** The focus goes from row to row, and at the first one back to the filter. */
const walk = (groups: HTMLElement, field: HTMLElement, step: 1 | -1): void => {
  const all = openers(groups)
  const at = all.indexOf(document.activeElement as HTMLElement)
  if (at === 0 && step === -1) return field.focus()
  all[at < 0 ? 0 : Math.min(all.length - 1, at + step)]?.focus()
}

/** Puts these elements, and no others, in this order; an element in its place stays, and keeps the focus. */
const arrange = (parent: Element, children: ReadonlyArray<Element>): void => {
  for (const [index, child] of children.entries()) {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null)
  }
  while (parent.children.length > children.length) parent.lastElementChild?.remove()
}

const groupElement = (
  { id, title, rows }: Group,
  named: boolean,
  rowOf: (row: Row) => HTMLElement,
): HTMLElement => {
  const known = document.getElementById(id)
  const heading = known?.querySelector("h3") ?? el("h3", {})
  const list = known?.querySelector("ul") ?? el("ul", {})
  say(heading, title)
  heading.hidden = !named
  arrange(list, rows.map(rowOf))
  return known ?? el("section", { id, "aria-label": title }, heading, list)
}

const summaryOf = (all: ReadonlyArray<Row>, wanted: ReadonlyArray<Row>): string => {
  if (all.length === 0) return "Nothing runs here yet."
  if (wanted.length === 0)
    return `None of ${Words.count(all.length, "process", "processes")} fits the filter.`
  const running = wanted.filter((row) => !isOver(row)).length
  const shown = wanted.length === all.length ? "" : ` of ${all.length}`
  return `${running} running, ${wanted.length - running} ended${shown}`
}

export interface ListRow {
  readonly element: HTMLElement
  /** Shows it as somebody has seen it at a time of this browser, in milliseconds since 1970. */
  readonly show: (row: Row, tiles: Tiles, as: Seen, now: number) => void
}

/** Makes one; `open` shows the process, alone or beside the others. */
export const makeRow = (first: Row, open: (place: Place, beside: boolean) => void): ListRow => {
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
