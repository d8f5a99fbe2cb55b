/** The head of a tile: what is shown in it and what can be done; and its foot, with the facts. */
import type { Exited } from "../../../../core/client/ProcessEvent.ts"
import type { Receipt } from "../../../../core/features/receipt/wire.ts"
import { type Sending, sendings } from "../link/Acting.ts"
import type { Action } from "../model/Keys.ts"
import { type Seen, stateOf } from "../model/Outage.ts"
import { type Row, directoryOf, isOver, titleOf } from "../model/Rows.ts"
import * as Words from "../model/Words.ts"
import { el, iconButton, mark, say } from "./dom.ts"

/** The actions of the buttons. */
export interface Presses {
  /** The action of a shortcut. */
  readonly act: (action: Action) => void
  readonly send: (sending: Sending) => void
  readonly remove: () => void
  readonly restart: () => void
  readonly save: () => void
}

/** The actions on a process that has ended, beyond looking at it. */
export interface Offers {
  readonly restart: boolean
}

/** The head of a tile, and the line of facts at its foot. */
export interface TileHeader {
  readonly element: HTMLElement
  readonly facts: HTMLElement
  /** Shows the facts; `writes` is whether this page is in control. */
  readonly show: (row: Row, facts: Facts, writes: boolean, offers: Offers) => void
}

/** Makes one; `hasHistory` is whether the server keeps output in files. */
export const make = (row: Row, hasHistory: boolean, presses: Presses): TileHeader => {
  const title = el("h2", { class: "tile-title", title: Words.command(row.argv) })
  const dot = el("span", { class: "dot", "aria-hidden": "true" })
  const state = el("span", { class: "state" })
  const more = el("span", { class: "more" })
  const control = el("button", { type: "button", class: "control", onclick: () => presses.act("control") })
  const called = shortened(titleOf(row))
  const menu = sendMenu(called, presses.send)
  const remove = iconButton("trash", `Remove ${called} from the list`, presses.remove)
  const restart = iconButton("again", `Start ${called} again`, presses.restart)
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
      restart,
      remove,
      iconButton("save", `Download the log of ${called}`, presses.save),
      iconButton("search", `Find in the output of ${called} (Ctrl Shift F)`, () => presses.act("find")),
      hasHistory &&
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
  const show: TileHeader["show"] = (row, facts, writes, offers) => {
    say(title, titleOf(row))
    say(state, facts.state)
    say(more, facts.more.map((fact) => ` \u00b7 ${fact}`).join(""))
    const over = facts.tone !== undefined
    for (const part of [dot, state]) mark(part, "data-tone", facts.tone ?? "running")
    control.hidden = over
    menu.hidden = over || !writes
    remove.hidden = !over
    restart.hidden = !over || !offers.restart
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
  readonly receipt?: Receipt
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
  const { exited, receipt } = told
  const place = [row.pid === null ? undefined : `pid ${row.pid}`, directoryOf(row)]
  if (exited === undefined && !isOver(row)) {
    const size = row.terminalSize
    return {
      tone: as === "gone" ? "calm" : undefined,
      state: `${row.state === "starting" || as === "gone" ? "" : "running "}${stateOf(row, as, now)}`,
      more: words(...place, size && `${size.columns}\u00d7${size.rows}`, Words.bytes(row.bytes)),
    }
  }
  const end: Words.End = { ...row, ...exited, ...receipt }
  return {
    tone: Words.toneOf(end),
    state: Words.ending(end),
    more: words(...ofReceipt(receipt), Words.bytes(row.bytes)),
  }
}

const words = (...texts: ReadonlyArray<string | undefined>): ReadonlyArray<string> =>
  texts.filter((text): text is string => text !== undefined && text !== "")

const ofReceipt = (receipt: Receipt | undefined): ReadonlyArray<string | undefined> => {
  if (receipt === undefined) return []
  const { startedAtMs, endedAtMs, userCpuMicros, systemCpuMicros, peakMemory, coreDumped } = receipt
  const cpu = userCpuMicros === undefined ? undefined : (userCpuMicros + (systemCpuMicros ?? 0)) / 1000
  const missing = Object.values(receipt.streams).reduce((sum, stream) => sum + (stream?.unreadBytes ?? 0), 0)
  return [
    `after ${Words.duration(endedAtMs - startedAtMs)}`,
    cpu === undefined ? undefined : `${Words.duration(cpu)} CPU`,
    peakMemory?.exact === true ? `${Words.bytes(peakMemory.bytes)} memory` : undefined,
    coreDumped === true ? "core dumped" : undefined,
    missing === 0 ? undefined : `${Words.bytes(missing)} were read by nobody`,
  ]
}

/** The receipt in full, for whoever looks closer: streams, bytes and SHA-256. */
export const receiptLines = ({ streams }: Receipt): ReadonlyArray<string> =>
  Object.entries(streams).flatMap(([name, stream]) =>
    stream === undefined ? [] : [`${name}: ${stream.bytes} B, SHA-256 ${stream.sha256 ?? "not known"}`],
  )
