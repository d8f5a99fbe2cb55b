/** Opens a port on which a process listens, in a tab of its own. */
import type { PortResult } from "../../../../core/features/port/wire.ts"
import { messageOf } from "../link/Attachment.ts"
import * as Ports from "../model/Ports.ts"
import { type Bar, bar, el, onSubmit, say } from "./dom.ts"

export interface Options {
  /** Asks the server for the way to a port. Rejects with `ClientError`. */
  readonly way: (port: number) => Promise<PortResult>
  /** The output of the process, in which a port may stand. */
  readonly text: () => string
  /** Gets the focus back. */
  readonly done: () => void
}

/** Makes one, hidden. */
export const make = ({ way, text, done }: Options): Bar => {
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
  const element = el(
    "form",
    { class: "port-bar", role: "group", "aria-label": "Open a port" },
    field,
    el("button", { class: "button" }, "Open port"),
    told,
  )
  onSubmit(element, () => void open())
  const made = bar(element, field, done)
  return {
    element,
    open: () => {
      field.value = String(Ports.lastIn(text()) ?? field.value)
      made.open()
    },
  }
}
