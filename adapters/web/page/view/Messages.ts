/** Messages: for a while in a corner, and above a terminal. Screen readers announce each. */
import { later } from "./Page.ts"
import { append, el, say } from "./dom.ts"

/** The time of a message, in milliseconds, and the most messages at once. */
const shownMillis = 6000
const most = 4

/** The corner, and what tells something there. */
export interface Announcer {
  readonly element: HTMLElement
  readonly announce: (text: string, tone?: "good" | "bad" | "calm") => void
}

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

/** The time of a notice, in milliseconds. */
const noticeMillis = 4000

/** The line of one terminal. */
export interface Notice {
  readonly element: HTMLElement
  /** Says something, for a while, or with `stays` until it is taken back. */
  readonly tell: (text: string, stays?: boolean) => void
  readonly untell: () => void
  readonly dispose: () => void
}

export const makeNotice = (): Notice => {
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
      if (!stays) forget = later(noticeMillis, rest)
    },
    untell: () => {
      lasting = undefined
      forget()
      rest()
    },
    dispose: () => forget(),
  }
}
