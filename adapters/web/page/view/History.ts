/**
 * All that a process has printed, from the files of its server: searched there, and shown around a line.
 *
 * It covers the terminal, which goes on behind it.
 */
import * as LineStamps from "../../../../core/client/LineStamps.ts"
import type { GrepMatch, GrepResult, HistoryResult } from "../../../../core/features/history/wire.ts"
import { messageOf } from "../link/Attachment.ts"
import { rowOfLine } from "../model/Lines.ts"
import { PipeText } from "../model/PipeText.ts"
import type { Settings } from "../model/Settings.ts"
import type { Store } from "../model/Store.ts"
import * as Words from "../model/Words.ts"
import type { Screen } from "./Screen.ts"
import { button, checkLabel, el, iconButton, onSubmit, say, searchField } from "./dom.ts"

export interface Past {
  readonly history: Ask
  readonly grep: (options: {
    pattern: string
    flags: string
    from?: { byte: number }
    maxMatches: number
  }) => Promise<GrepResult>
}

interface PaneOptions {
  readonly past: Past
  /** Makes a terminal of the pane in an element of the page. */
  readonly screenIn: (host: HTMLElement) => Screen
  readonly settings: Store<Settings>
  readonly done: () => void
}

export interface Options extends Pick<PaneOptions, "past" | "screenIn" | "settings"> {
  readonly parent: HTMLElement
  /** The reason for the absence of a history; undefined if there is one. */
  readonly refused: string | undefined
  readonly tell: (text: string) => void
  readonly closed: () => void
}

/** The switch. */
export interface History {
  readonly toggle: () => void
  readonly isOpen: () => boolean
  readonly close: () => void
}

/** Makes the switch, with no pane open. */
export const make = ({ parent, refused, past, screenIn, settings, tell, closed }: Options): History => {
  let pane: ReturnType<typeof makePane> | undefined
  const close = () => {
    pane?.element.remove()
    pane?.dispose()
    pane = undefined
  }
  const toggle = () => {
    if (refused !== undefined) return tell(refused)
    if (pane === undefined) {
      pane = makePane({ past, screenIn, settings, done: toggle })
      return parent.append(pane.element)
    }
    close()
    closed()
  }
  return { toggle, isOpen: () => pane !== undefined, close }
}

/** Makes the pane of one terminal, at the end of the output; it is to be added to the page at once. */
const makePane = ({ past, screenIn, settings, done }: PaneOptions) => {
  const says = el("output", { class: "count", "aria-live": "polite" })
  const field = searchField("Search all output")
  const regex = el("input", { type: "checkbox" })
  const line = el("input", {
    type: "number",
    min: 1,
    placeholder: "Line",
    "aria-label": "Go to line",
    class: "line",
  })
  const view = makeView(past.history, screenIn, () => settings.get().times)
  const times = el("input", { type: "checkbox", checked: settings.get().times })
  times.addEventListener("change", () => {
    settings.set({ ...settings.get(), times: times.checked })
    show(view.current())
  })
  const fail = (error: unknown) => say(says, messageOf(error))
  const show = (place: Place) => void view.show(place).then((words) => say(says, words), fail)
  const matches = makeMatches((number) => show({ line: number }))

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
  const submit = () => {
    if (document.activeElement === line && line.value !== "") show({ line: Number(line.value) })
    else void search()
  }

  const bar = el(
    "form",
    { class: "find", role: "search" },
    field,
    checkLabel("A regular expression (RE2)", regex, ".*"),
    el("button", { class: "button" }, "Search"),
    line,
    checkLabel("The time at the begin of each line", times, "Times"),
    says,
    iconButton("up", "Older", () => show(view.older())),
    iconButton("down", "Newer", () => show(view.newer())),
    iconButton("close", "Close the history (Escape)", done),
  )
  onSubmit(bar, submit)
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

type Match = typeof GrepMatch.Type

/** Sequences that color and move: a list shows the text alone. */
const sequences =
  // oxlint-disable-next-line no-control-regex
  /\u001b(?:\[[\d;:?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|.)|[\u0000-\u0008\u000b-\u001f]/g

const plain = (text: string): string => text.replace(sequences, "")

const makeMatches = (jump: (line: number) => void) => {
  const list = el("ol", { class: "matches", "aria-label": "Lines found", hidden: true })
  let more: HTMLElement | undefined
  const clear = () => {
    list.replaceChildren()
    list.hidden = true
  }
  return {
    element: list,
    clear,
    /** Adds lines, or replaces those that are there; `next` asks for more. Returns their number. */
    add: (matches: ReadonlyArray<Match>, next: (() => void) | undefined, fresh: boolean): number => {
      if (fresh) clear()
      more?.remove()
      more = undefined
      for (const { line, text } of matches) list.append(rowOf(line, text, jump))
      list.hidden = list.childElementCount === 0
      const count = list.childElementCount
      if (next !== undefined) {
        more = el("li", {}, button("More", next))
        list.append(more)
      }
      return count
    },
  }
}

const rowOf = (line: number, text: string, jump: (line: number) => void): HTMLElement =>
  el(
    "li",
    {},
    el(
      "button",
      { type: "button", class: "match", onclick: () => jump(line) },
      el("span", { class: "number" }, String(line)),
      el("span", { class: "text" }, plain(text)),
    ),
  )

type Ask = (options: {
  from?: { line: number }
  tail?: number
  maxBytes: number
  times: boolean
}) => Promise<HistoryResult>

type Place = { readonly line: number } | "end"

/** The size of a part, in bytes: it has no more lines than that. */
export const historyBytes = 128 * 1024

/** The lines of a part in front of the line that is looked for, and the lines of the end. */
const before = 100
const tail = 2000

/** Makes the view of a part; `screenIn` makes a terminal in an element of the page. */
const makeView = (ask: Ask, screenIn: (host: HTMLElement) => Screen, times: () => boolean) => {
  const host = el("div", { class: "history-screen" })
  let screen: Screen | undefined
  let current: Place = "end"
  let first = 1
  let lines = 0
  return {
    element: host,
    current: (): Place => current,
    /** The places of the part before the shown one, and of that behind it. */
    older: (): Place => ({ line: Math.max(1, first - 1) }),
    newer: (): Place => ({ line: first + lines + before }),
    /** Shows a place, and resolves with its description. Rejects if the server refuses. */
    show: async (place: Place): Promise<string> => {
      const from = place === "end" ? undefined : { line: Math.max(1, place.line - before) }
      const how = { maxBytes: historyBytes, times: times() }
      const found = await ask(from === undefined ? { tail, ...how } : { from, ...how })
      current = place
      const shown = (screen ??= screenIn(host))
      shown.fill()
      shown.terminal.reset()
      first = found.line
      lines = paint(shown, found)
      const index = place === "end" ? undefined : place.line - first
      await new Promise<void>((resolve) => shown.intake.write("", resolve))
      if (index === undefined) shown.terminal.scrollToBottom()
      else pointTo(shown, index)
      return wordsFor(found, lines)
    },
    dispose: () => screen?.dispose(),
  }
}

const wordsFor = ({ line, eof, closed }: HistoryResult, lines: number): string => {
  if (lines === 0) return "nothing was printed"
  const more = eof ? (closed ? "the end" : "the end so far") : "more follows"
  return `lines ${line} to ${line + lines - 1}, ${more}`
}

/** Shows a part; how many lines it has. */
const paint = (screen: Screen, { chunks, times }: HistoryResult): number => {
  const stamps = times === undefined ? undefined : LineStamps.make()
  const pipes = new PipeText()
  let ends = 0
  let rest = false
  for (const [index, { stream, chunk: printed }] of chunks.entries()) {
    for (const byte of printed) if (byte === 0x0a) ends += 1
    rest = printed.at(-1) !== 0x0a
    const chunk = stamps?.add(stream, printed, times?.[index] ?? 0) ?? printed
    screen.intake.write(stream === "pty" ? chunk : pipes.take(stream, chunk))
  }
  return chunks.length === 0 ? 0 : ends + (rest ? 1 : 0)
}

/** Brings a line into view, and selects it. */
const pointTo = ({ terminal }: Screen, index: number): void => {
  const { active } = terminal.buffer
  const row = rowOfLine(Math.max(0, index), active.length, (at) => active.getLine(at)?.isWrapped === true)
  terminal.scrollToLine(Math.max(0, row - Math.floor(terminal.rows / 3)))
  terminal.select(0, row, terminal.cols)
}
