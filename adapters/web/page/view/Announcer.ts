/** Tells what happens: to a reader, and for a while in a corner. */
import { append, el } from "./dom.ts"
import { later } from "./Page.ts"

/** How long a message is shown, in milliseconds, and how many at once. */
const shownMillis = 6000
const most = 4

/** The corner, and what tells something there. */
export interface Announcer {
  readonly element: HTMLElement
  readonly announce: (text: string, tone?: "good" | "bad" | "calm") => void
}

/** Makes it. */
export const make = (): Announcer => {
  const element = el("div", {
    class: "messages",
    role: "log",
    "aria-live": "polite",
    "aria-label": "Messages",
  })
  return {
    element,
    announce: (text, tone = "calm") => {
      const message = el(
        "p",
        { class: "message", "data-tone": tone },
        el("span", { class: "dot", "data-tone": tone }),
        text,
      )
      append(element, [message])
      while (element.childElementCount > most) element.firstElementChild?.remove()
      later(shownMillis, () => message.remove())
    },
  }
}
