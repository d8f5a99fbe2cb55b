/** The line above a terminal that says what the visitor has to know. */
import { el, say } from "./dom.ts"
import { later } from "./Page.ts"

/** How long it is shown, in milliseconds. */
const shownMillis = 4000

/** The line of one terminal. */
export interface Notice {
  readonly element: HTMLElement
  /** Says something, for a while, or with `stays` until it is taken back. */
  readonly tell: (text: string, stays?: boolean) => void
  readonly untell: () => void
  readonly dispose: () => void
}

/** Makes one, hidden. */
export const make = (): Notice => {
  const element = el("p", { class: "notice", role: "status", hidden: true })
  let lasting: string | undefined
  let forget = () => {}
  const rest = () => {
    element.hidden = lasting === undefined
    if (lasting !== undefined) say(element, lasting)
  }
  return {
    element,
    tell: (text, stays = false) => {
      forget()
      if (stays) lasting = text
      say(element, text)
      element.hidden = false
      if (!stays) forget = later(shownMillis, rest)
    },
    untell: () => {
      lasting = undefined
      forget()
      rest()
    },
    dispose: () => forget(),
  }
}
