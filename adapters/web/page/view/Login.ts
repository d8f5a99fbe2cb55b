/** Lets a visitor in: with a token, or with the secret of a link that was opened. */
import { messageOf } from "../link/Attachment.ts"
import * as Site from "../link/Site.ts"
import { el, say } from "./dom.ts"

/** Shows the form until the visitor is in; `said` is what is said at first. */
export const ask = ({ name, tokens }: Site.Info, said = ""): Promise<void> =>
  new Promise((resolve) => {
    const token = el("input", {
      type: "password",
      name: "token",
      required: true,
      autocomplete: "current-password",
      "aria-describedby": "login-says",
    })
    const fault = el("p", { class: "fault", role: "alert", id: "login-says" }, said)
    const submit = el("button", { class: "button primary" }, "Log in")
    const form = el(
      "form",
      { class: "form login" },
      el("h1", {}, "procwire"),
      el("p", { class: "dim" }, tokens ? `Log in to ${name === "" ? "this server" : name}.` : byLink),
      tokens && el("label", {}, "Token", token),
      fault,
      tokens && submit,
    )
    const attempt = async () => {
      submit.disabled = true
      const refused = await Site.login({ token: token.value }).catch(messageOf)
      submit.disabled = false
      if (refused === undefined) {
        main.remove()
        return resolve()
      }
      say(fault, refused)
      token.select()
    }
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      void attempt()
    })
    const main = el("main", { class: "login-page" }, form)
    document.body.append(main)
    token.focus()
  })

const byLink =
  "Open the link that the server has printed. It works once; on SIGUSR2 the server prints another."
