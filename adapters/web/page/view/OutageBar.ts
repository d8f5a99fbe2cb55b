/** The bar at the top that says that the visitor has to log in again, and how: what is open stays readable below it. */
import type { Link } from "../link/Link.ts"
import { messageOf } from "../link/Attachment.ts"
import * as Site from "../link/Site.ts"
import * as Outage from "../model/Outage.ts"
import { el, say } from "./dom.ts"
import * as Login from "./Login.ts"

/** The bar. */
export interface OutageBar {
  readonly element: HTMLElement
  /** A link was opened in this tab: takes its secret out of the address, and logs in by it. */
  readonly enter: () => void
}

/** Makes it, hidden. */
export const make = (link: Link): OutageBar => {
  const title = el("strong", {})
  const advice = el("p", {})
  const room = el("div", {})
  const element = el(
    "section",
    { class: "outage", role: "alert", "aria-label": "Log in", hidden: true },
    el("div", {}, title, advice),
    room,
  )
  let form: Login.Form | undefined
  const entered = () => {
    // The next attempt to connect comes within two seconds.
    form?.say("You are in. Connecting…")
  }
  link.status.follow((status) => {
    const login = status.kind === "lost" ? status.login : undefined
    element.hidden = login === undefined
    if (status.kind !== "lost" || login === undefined) {
      form = undefined
      return room.replaceChildren()
    }
    say(title, `${Outage.headline(status)}.`)
    say(advice, Outage.advice(status))
    if (form !== undefined) return
    form = Login.form(login, entered)
    room.replaceChildren(form.element)
  })
  return {
    element,
    enter: () => {
      if (link.status.get().kind === "connected") return location.reload()
      const once = Site.takeOnce()
      if (once === undefined) return
      void Site.login({ once })
        .catch(messageOf)
        .then((refused) => (refused === undefined ? entered() : form?.say(refused)))
    },
  }
}
