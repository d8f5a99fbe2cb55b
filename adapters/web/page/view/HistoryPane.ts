/**
 * All that a process has printed, from the files of its server: searched there, and shown around a line.
 *
 * It covers the terminal, which goes on behind it.
 */
import type { GrepResult } from "../../../../core/protocol/History.ts"
import { messageOf } from "../link/Attachment.ts"
import type { Settings } from "../model/Settings.ts"
import type { Store } from "../model/Store.ts"
import * as Words from "../model/Words.ts"
import { el, iconButton, say } from "./dom.ts"
import * as HistoryView from "./HistoryView.ts"
import * as Matches from "./Matches.ts"
import type { Screen } from "./Screen.ts"

/** What asks the server. */
export interface Past {
  readonly history: HistoryView.Ask
  readonly grep: (options: {
    pattern: string
    flags: string
    from?: { byte: number }
    maxMatches: number
  }) => Promise<GrepResult>
}

/** What a pane is made of. */
export interface Options {
  readonly past: Past
  /** Makes a terminal of the pane in an element of the page. */
  readonly screenIn: (host: HTMLElement) => Screen
  readonly settings: Store<Settings>
  readonly done: () => void
}

/** The pane of one terminal. */
export interface HistoryPane {
  readonly element: HTMLElement
  /** Gives everything back. */
  readonly dispose: () => void
}

/** Makes one, at the end of the output; it is to be added to the page at once. */
export const make = ({ past, screenIn, settings, done }: Options): HistoryPane => {
  const says = el("output", { class: "count", "aria-live": "polite" })
  const field = el("input", {
    type: "search",
    placeholder: "Search all output",
    "aria-label": "Search all output",
  })
  const regex = el("input", { type: "checkbox" })
  const line = el("input", {
    type: "number",
    min: 1,
    placeholder: "Line",
    "aria-label": "Go to line",
    class: "line",
  })
  const view = HistoryView.make(past.history, screenIn, () => settings.get().times)
  const times = el("input", { type: "checkbox", checked: settings.get().times })
  times.addEventListener("change", () => {
    settings.set({ ...settings.get(), times: times.checked })
    show(view.current())
  })
  const fail = (error: unknown) => say(says, messageOf(error))
  const show = (place: HistoryView.Place) => void view.show(place).then((words) => say(says, words), fail)
  const matches = Matches.make((number) => show({ line: number }))

  const search = async (from?: { byte: number }) => {
    if (field.value === "") return matches.clear()
    const flags = regex.checked ? "i" : "il"
    const options = { pattern: field.value, flags, maxMatches: 200, ...(from === undefined ? {} : { from }) }
    const found = await past.grep(options).catch(fail)
    if (found === undefined) return
    const next = found.complete ? undefined : () => void search({ byte: found.nextByte })
    const count = matches.add(found.matches, next, from === undefined)
    say(says, `${Words.count(count, "line", "lines")}${next === undefined ? "" : " so far"}`)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (document.activeElement === line && line.value !== "") show({ line: Number(line.value) })
    else void search()
  }

  const bar = el(
    "form",
    { class: "find", role: "search", onsubmit: submit },
    field,
    el("label", { class: "check", title: "A regular expression (RE2)" }, regex, ".*"),
    el("button", { class: "button" }, "Search"),
    line,
    el("label", { class: "check", title: "The time at the begin of each line" }, times, "Times"),
    says,
    iconButton("up", "Older", () => show(view.older())),
    iconButton("down", "Newer", () => show(view.newer())),
    iconButton("close", "Close the history (Escape)", done),
  )
  const body = el("div", { class: "history-body" }, matches.element, view.element)
  const element = el("div", { class: "history", role: "dialog", "aria-label": "History" }, bar, body)
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return
    event.preventDefault()
    done()
  })
  show("end")
  requestAnimationFrame(() => field.focus())
  return { element, dispose: view.dispose }
}
