/** Finds a text in what a terminal holds, and shows how many there are. */
import * as Colors from "./Colors.ts"
import { type Bar, bar, checkLabel, el, iconButton, mark, say, searchField } from "./dom.ts"
import type { Screen } from "./Screen.ts"

/** Makes one, hidden. `done` gets the focus back. */
export const make = (screen: Screen, isDark: () => boolean, done: () => void): Bar => {
  const field = searchField("Find in the output")
  const count = el("output", { class: "count", "aria-live": "polite" })
  const regex = el("input", { type: "checkbox" })
  const go = (step: 1 | -1, incremental = false) => {
    if (field.value === "") return clear()
    const { match, active } = isDark() ? Colors.found.dark : Colors.found.light
    const options = {
      incremental,
      regex: regex.checked,
      decorations: {
        matchBackground: match,
        matchOverviewRuler: match,
        activeMatchBackground: active,
        activeMatchColorOverviewRuler: active,
      },
    }
    try {
      if (step === 1) screen.search.findNext(field.value, options)
      else screen.search.findPrevious(field.value, options)
      mark(field, "aria-invalid", false)
    } catch {
      mark(field, "aria-invalid", "true")
      say(count, "no such pattern")
    }
  }
  const clear = () => {
    screen.search.clearDecorations()
    say(count, "")
  }
  screen.search.onDidChangeResults(({ resultIndex, resultCount }) =>
    say(count, resultCount === 0 ? "nothing found" : `${resultIndex + 1} of ${resultCount}`),
  )
  field.addEventListener("input", () => go(1, true))
  regex.addEventListener("change", () => go(1, true))
  const element = el(
    "div",
    { class: "find", role: "search" },
    field,
    checkLabel("A regular expression", regex, ".*"),
    count,
    iconButton("up", "Previous (Shift Enter)", () => go(-1)),
    iconButton("down", "Next (Enter)", () => go(1)),
  )
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target !== field) return
    go(event.shiftKey ? -1 : 1)
    event.preventDefault()
  })
  return bar(element, field, () => {
    clear()
    done()
  })
}
