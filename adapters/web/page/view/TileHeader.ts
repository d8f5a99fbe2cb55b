/** The head of a tile, with title and buttons, and its foot, with the facts. */
import type { Exited } from "../../../../core/client/ProcessEvent.ts"
import type { Button, ClosedFacts } from "../features/Feature.ts"
import { features } from "../features/Features.ts"
import { type Sending, sendings } from "../link/Acting.ts"
import type { Link } from "../link/Link.ts"
import type { Action } from "../model/Keys.ts"
import { type Seen, stateOf } from "../model/Outage.ts"
import { type Row, directoryOf, isOver, titleOf } from "../model/Rows.ts"
import * as Words from "../model/Words.ts"
import { el, iconButton, mark, say } from "./dom.ts"

export interface Presses {
  readonly act: (action: Action) => void
  readonly send: (sending: Sending) => void
  readonly remove: () => void
  readonly port: () => void
  readonly press: (button: Button) => void
  readonly save: () => void
}

/** The head of a tile, and the line of facts at its foot. */
export interface TileHeader {
  readonly element: HTMLElement
  readonly facts: HTMLElement
  /** Shows the facts; `writes` is whether this page is in control, `isOffered` is asked for the buttons of features. */
  readonly show: (row: Row, facts: Facts, writes: boolean, isOffered: (button: Button) => boolean) => void
}

export const make = (row: Row, can: Link["can"], presses: Presses): TileHeader => {
  const title = el("h2", { class: "tile-title", title: Words.command(row.argv) })
  const dot = el("span", { class: "dot", "aria-hidden": "true" })
  const state = el("span", { class: "state" })
  const more = el("span", { class: "more" })
  const control = el("button", { type: "button", class: "control", onclick: () => presses.act("control") })
  const called = shortened(titleOf(row))
  const menu = sendMenu(called, presses.send)
  const port = iconButton("port", `Open a port on which ${called} listens`, presses.port)
  const remove = iconButton("trash", `Remove ${called} from the list`, presses.remove)
  const buttons = features.flatMap(({ button }) =>
    button === undefined
      ? []
      : [{ button, shown: iconButton(button.icon, button.label(called), () => presses.press(button)) }],
  )
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
      port,
      ...buttons.map(({ shown }) => shown),
      remove,
      iconButton("save", `Download the log of ${called}`, presses.save),
      iconButton("search", `Find in the output of ${called} (Ctrl Shift F)`, () => presses.act("find")),
      can("outputHistory") &&
        iconButton("history", `Show all output of ${called} (Ctrl Shift H)`, () => presses.act("history")),
      iconButton("copy", `Copy the selection, or the screen of ${called} (Ctrl Shift C)`, () =>
        presses.act("copy"),
      ),
      iconButton(
        "maximize",
        `Show ${called} alone, or beside the others (Ctrl Shift M)`,
        () => presses.act("maximize"),
        "only-wide",
      ),
      iconButton(
        "close",
        `Close the terminal of ${called}, which goes on (Ctrl Shift X)`,
        () => presses.act("close"),
        "only-wide",
      ),
    ),
  )
  const words = (writes: boolean) =>
    writes ? `Only look on at ${called} (Ctrl Shift E)` : `Take control of ${called} (Ctrl Shift E)`
  const show: TileHeader["show"] = (row, facts, writes, isOffered) => {
    say(title, titleOf(row))
    say(state, facts.state)
    say(more, facts.more.map((fact) => ` \u00b7 ${fact}`).join(""))
    const over = facts.tone !== undefined
    for (const part of [dot, state]) mark(part, "data-tone", facts.tone ?? "running")
    control.hidden = over
    menu.hidden = over || !writes
    port.hidden = over || !writes || !can("processPort")
    remove.hidden = !over
    for (const { button, shown } of buttons) shown.hidden = !over || !isOffered(button)
    mark(control, "aria-pressed", String(writes))
    say(control, writes ? "In control" : "Read-only")
    mark(control, "title", words(writes))
    mark(control, "aria-label", `${writes ? "In control" : "Read-only"}: ${words(writes)}`)
  }
  return { element, facts: el("p", { class: "facts" }, state, more), show }
}

/** The most characters of a title in the words of a button. */
const longest = 40

const shortened = (title: string): string =>
  title.length > longest ? `${title.slice(0, longest - 1)}\u2026` : title

const sendMenu = (called: string, send: (sending: Sending) => void): HTMLSelectElement => {
  const first = el("option", { value: "" }, "Signal")
  const menu = el(
    "select",
    { class: "send", "aria-label": `Send a signal to ${called}` },
    first,
    ...sendings.map(({ id, verb, how }) => el("option", { value: id }, `${verb} ${called} \u00b7 ${how}`)),
  )
  menu.addEventListener("change", () => {
    const chosen = sendings.find(({ id }) => id === menu.value)
    menu.value = ""
    if (chosen !== undefined) send(chosen)
  })
  return menu
}

/** The facts from the events of a process. */
export interface Outcome {
  readonly exited?: Exited
  /** The facts of each feature, once it is closed. */
  readonly closed?: ReadonlyArray<ClosedFacts>
}

/** A line of facts, and how glad to be of it; undefined while the process runs. */
export interface Facts {
  readonly tone: Words.Tone | undefined
  /** Its end, or that it runs. */
  readonly state: string
  /** Everything else. */
  readonly more: ReadonlyArray<string>
}

/** The facts as somebody has seen them at a time of this browser, in milliseconds since 1970. */
export const factsOf = (row: Row, told: Outcome, as: Seen, now: number): Facts => {
  const { exited, closed = [] } = told
  const place = [row.pid === null ? undefined : `pid ${row.pid}`, directoryOf(row)]
  if (exited === undefined && !isOver(row)) {
    const size = row.terminalSize
    return {
      tone: as === "gone" ? "calm" : undefined,
      state: `${row.state === "starting" || as === "gone" ? "" : "running "}${stateOf(row, as, now)}`,
      more: Words.known(...place, size && `${size.columns}\u00d7${size.rows}`, Words.bytes(row.bytes)),
    }
  }
  const end: Words.End = Object.assign({}, row, exited, ...closed.map(({ end }) => end))
  return {
    tone: Words.toneOf(end),
    state: Words.ending(end),
    more: Words.known(...closed.flatMap(({ facts }) => facts), Words.bytes(row.bytes)),
  }
}
