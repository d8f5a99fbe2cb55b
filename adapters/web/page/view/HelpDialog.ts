/** All shortcuts, from their table. */
import * as Keys from "../model/Keys.ts"
import { button, el } from "./dom.ts"

/** Makes the dialog. */
export const make = (): HTMLDialogElement => {
  const close = button("Close", () => dialog.close())
  const dialog = el(
    "dialog",
    { class: "help", "aria-label": "Shortcuts" },
    el("h2", {}, "Shortcuts"),
    table("Where nothing is typed", false),
    table("Everywhere, also in a terminal, which gets all other keys", true),
    el("p", { class: "dim" }, "Enter opens a process of the list, Shift Enter opens it beside the others."),
    el("div", { class: "actions" }, close),
  )
  return dialog
}

const table = (caption: string, everywhere: boolean): HTMLTableElement =>
  el(
    "table",
    {},
    el("caption", {}, caption),
    el(
      "tbody",
      {},
      ...Keys.shortcuts
        .filter((shortcut) => shortcut.everywhere === everywhere)
        .map((shortcut) =>
          el("tr", {}, el("th", { scope: "row" }, ...keysOf(shortcut)), el("td", {}, shortcut.says)),
        ),
    ),
  )

const keysOf = (shortcut: Keys.Shortcut) => Keys.written(shortcut).map((keys) => el("kbd", {}, keys))
