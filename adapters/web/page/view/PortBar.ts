/** Opens a port on which a process listens, in a tab of its own. */
import type { PortResult } from "../../../../core/features/port/wire.ts"
import { messageOf } from "../link/Attachment.ts"
import * as Ports from "../model/Ports.ts"
import { el, iconButton, onSubmit, say } from "./dom.ts"

export interface PortBar {
  readonly element: HTMLElement
  readonly open: () => void
}

export interface Options {
  /** Asks the server for the way to a port. Rejects with `ClientError`. */
  readonly way: (port: number) => Promise<PortResult>
  /** The output of the process, in which a port may stand. */
  readonly text: () => string
  /** Gets the focus back. */
  readonly done: () => void
}

/** Makes one, hidden. */
export const make = ({ way, text, done }: Options): PortBar => {
  const field = el("input", {
    type: "number",
    min: 1,
    max: 65_535,
    required: true,
    "aria-label": "Port on which the process listens",
    placeholder: "Port",
  })
  const told = el("output", { "aria-live": "polite" })
  const open = async () => {
    say(told, "")
    try {
      const found = await way(field.valueAsNumber)
      const href = Ports.urlOf(location.hostname, found)
      if (href === undefined)
        return say(
          told,
          `It is ${found.host}:${found.port} on the server's host, which takes a tunnel from here.`,
        )
      const link = el("a", { href, target: "_blank", rel: "noopener noreferrer" }, href)
      told.append(link)
      link.click()
    } catch (error) {
      say(told, messageOf(error))
    }
  }
  const close = () => {
    element.hidden = true
    done()
  }
  const element = el(
    "form",
    { class: "port-bar", role: "group", "aria-label": "Open a port", hidden: true },
    field,
    el("button", { class: "button" }, "Open port"),
    told,
    iconButton("close", "Close (Escape)", close),
  )
  onSubmit(element, () => void open())
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return
    close()
    event.preventDefault()
  })
  return {
    element,
    open: () => {
      field.value = String(Ports.lastIn(text()) ?? field.value)
      element.hidden = false
      field.focus()
      field.select()
    },
  }
}
