/** Input beside that of the terminal: keys that a phone does not have, and a line for the stdin of pipes. */
import { button, el, mark, onSubmit } from "./dom.ts"

const keys: ReadonlyArray<readonly [shown: string, says: string, data: string]> = [
  ["Esc", "Escape", "\u001b"],
  ["Tab", "Tab", "\t"],
  ["^C", "Control C", "\u0003"],
  ["^D", "Control D", "\u0004"],
  ["\u2190", "Arrow left", "\u001b[D"],
  ["\u2191", "Arrow up", "\u001b[A"],
  ["\u2193", "Arrow down", "\u001b[B"],
  ["\u2192", "Arrow right", "\u001b[C"],
]

/** The keys, and Ctrl, which holds for the next letter. */
export interface KeyBar {
  readonly element: HTMLElement
  /** The data of a letter: the control character while Ctrl is held. */
  readonly with: (data: string) => string
}

/** Makes one; it keeps the focus where it is, so that the keyboard of the phone stays. */
export const make = (typed: (data: string) => void): KeyBar => {
  let held = false
  const hold = (now: boolean) => {
    held = now
    mark(control, "aria-pressed", String(now))
  }
  const button = (shown: string, says: string, press: () => void) =>
    el("button", { type: "button", "aria-label": says, onclick: press }, shown)
  const control = button("Ctrl", "Control, for the next letter", () => hold(!held))
  mark(control, "aria-pressed", "false")
  const element = el(
    "div",
    { class: "key-bar", role: "toolbar", "aria-label": "Keys" },
    control,
    ...keys.map(([shown, says, data]) => button(shown, says, () => typed(data))),
  )
  element.addEventListener("pointerdown", (event) => event.preventDefault())
  return {
    element,
    with: (data) => {
      if (!held || !/^[@-_a-z]$/.test(data)) return data
      hold(false)
      return String.fromCharCode(data.toUpperCase().charCodeAt(0) - 64)
    },
  }
}

export interface Stdin {
  readonly write: (text: string) => void
  readonly end: () => void
}

export const stdinLine = ({ write, end }: Stdin): HTMLElement => {
  const field = el("input", {
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": "A line for stdin",
    placeholder: "A line for stdin, Enter sends it",
  })
  const form = el(
    "form",
    { class: "stdin" },
    field,
    el("button", { class: "button" }, "Send"),
    button("End input", end, { title: "Ends the input of the process" }),
  )
  onSubmit(form, () => {
    write(`${field.value}\n`)
    field.value = ""
  })
  return form
}
