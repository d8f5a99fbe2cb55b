/** The line below the output of a process on pipes: what is typed there goes to its stdin. */
import { button, el, onSubmit } from "./dom.ts"

/** What takes the input. */
export interface Stdin {
  readonly write: (text: string) => void
  readonly end: () => void
}

/** Makes one. */
export const make = ({ write, end }: Stdin): HTMLElement => {
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
