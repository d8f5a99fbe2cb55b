/** The lines that a search of the history has found: each is a button that jumps there. */
import type { GrepMatch } from "../../../../core/protocol/History.ts"
import { el } from "./dom.ts"

type Match = typeof GrepMatch.Type

/** The list. */
export interface Matches {
  readonly element: HTMLElement
  /** Adds lines, or replaces those that are there; `more` asks for the next. How many there are. */
  readonly add: (matches: ReadonlyArray<Match>, more: (() => void) | undefined, fresh: boolean) => number
  readonly clear: () => void
}

/** Sequences that color and move: a list shows the text alone. */
const sequences =
  // oxlint-disable-next-line no-control-regex
  /\u001b(?:\[[\d;:?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|.)|[\u0000-\u0008\u000b-\u001f]/g

/** The text of a line without what is not shown. */
export const plain = (text: string): string => text.replace(sequences, "")

/** Makes an empty list. */
export const make = (jump: (line: number) => void): Matches => {
  const list = el("ol", { class: "matches", "aria-label": "Lines found", hidden: true })
  let more: HTMLElement | undefined
  const clear = () => {
    list.replaceChildren()
    list.hidden = true
  }
  return {
    element: list,
    clear,
    add: (matches, next, fresh) => {
      if (fresh) clear()
      more?.remove()
      more = undefined
      for (const { line, text } of matches) list.append(rowOf(line, text, jump))
      list.hidden = list.childElementCount === 0
      const count = list.childElementCount
      if (next !== undefined) {
        more = el("li", {}, el("button", { type: "button", class: "button", onclick: next }, "More"))
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
