/**
 * Lets a visitor in: with a token, or with the secret of a link that was opened; on a page of its own, or in a bar at
 * the top, below which the open terminals stay readable.
 */
import { messageOf } from "../link/Attachment.ts"
import type { Link } from "../link/Link.ts"
import * as Site from "../link/Site.ts"
import * as Outage from "../model/Outage.ts"
import { el, onSubmit, say } from "./dom.ts"

export interface Form {
  readonly element: HTMLFormElement
  readonly say: (text: string) => void
  readonly focus: () => void
}

/** Makes one; `entered` is called when the visitor is in. */
const makeForm = (
  { tokens }: Pick<Site.Info, "tokens">,
  entered: () => void,
  ...above: ReadonlyArray<HTMLElement>
): Form => {
  const token = el("input", {
    type: "password",
    name: "token",
    required: true,
    autocomplete: "current-password",
    "aria-describedby": "login-says",
  })
  const fault = el("p", { class: "fault", role: "alert", id: "login-says" })
  const submit = el("button", { class: "button primary" }, "Log in")
  const attempt = async () => {
    submit.disabled = true
    const refused = await Site.login({ token: token.value }).catch(messageOf)
    submit.disabled = false
    if (refused === undefined) return entered()
    say(fault, refused)
    token.select()
  }
  const element = el(
    "form",
    { class: "form login" },
    ...above,
    tokens && el("label", {}, "Token", token),
    fault,
    tokens && submit,
  )
  onSubmit(element, () => void attempt())
  return { element, say: (text) => say(fault, text), focus: () => token.focus() }
}

/** Shows the form until the visitor is in; `said` is its first message. */
export const ask = ({ name, tokens }: Site.Info, said = ""): Promise<void> =>
  new Promise((resolve) => {
    const entered = () => {
      main.remove()
      resolve()
    }
    const where = tokens ? `Log in to ${name === "" ? "this server" : name}.` : byLink
    const shown = makeForm({ tokens }, entered, el("h1", {}, "procwire"), el("p", { class: "dim" }, where))
    const main = el("main", { class: "login-page" }, shown.element)
    document.body.append(main)
    shown.say(said)
    shown.focus()
  })

const byLink =
  "Open the link that the server has printed. It works once; on SIGUSR2 the server prints another."

/** The bar that asks a visitor to log in again. */
export interface OutageBar {
  readonly element: HTMLElement
  /** A link was opened in this tab: takes its secret out of the address, and logs in by it. */
  readonly enter: () => void
}

export const makeBar = (link: Link): OutageBar => {
  const title = el("strong", {})
  const advice = el("p", {})
  const room = el("div", {})
  const element = el(
    "section",
    { class: "outage", role: "alert", "aria-label": "Log in", hidden: true },
    el("div", {}, title, advice),
    room,
  )
  let form: Form | undefined
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
    form = makeForm(login, entered)
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
