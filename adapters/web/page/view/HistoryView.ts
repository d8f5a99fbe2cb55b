/** A part of all that a process has printed, on a terminal of its own: around a line, or at the end. */
import type { HistoryResult } from "../../../../core/features/history/wire.ts"
import * as LineStamps from "../../../../core/client/LineStamps.ts"
import { rowOfLine } from "../model/Lines.ts"
import { PipeText } from "../model/PipeText.ts"
import { el } from "./dom.ts"
import type { Screen } from "./Screen.ts"

/** Asks for a part. */
export type Ask = (options: {
  from?: { line: number }
  tail?: number
  maxBytes: number
  times: boolean
}) => Promise<HistoryResult>

/** A line, from 1, or the end. */
export type Place = { readonly line: number } | "end"

/** The view. */
export interface HistoryView {
  readonly element: HTMLElement
  /** Shows a place: what is said of it. Rejects if the server refuses. */
  readonly show: (place: Place) => Promise<string>
  /** The place that is shown. */
  readonly current: () => Place
  /** Where the part before the shown one, or behind it, is. */
  readonly older: () => Place
  readonly newer: () => Place
  /** Gives everything back. */
  readonly dispose: () => void
}

/** How much is shown at once, in bytes: no more lines than that. */
export const part = 128 * 1024

/** How many lines of it are in front of the line that is looked for, and how many of the end are shown. */
const before = 100
const tail = 2000

/** Makes it; `screenIn` makes a terminal in an element of the page. */
export const make = (
  ask: Ask,
  screenIn: (host: HTMLElement) => Screen,
  times: () => boolean,
): HistoryView => {
  const host = el("div", { class: "history-screen" })
  let screen: Screen | undefined
  let current: Place = "end"
  let first = 1
  let lines = 0
  return {
    element: host,
    current: () => current,
    older: () => ({ line: Math.max(1, first - 1) }),
    newer: () => ({ line: first + lines + before }),
    show: async (place) => {
      const from = place === "end" ? undefined : { line: Math.max(1, place.line - before) }
      const how = { maxBytes: part, times: times() }
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
