/** Starts a process: a line for the shell or a program with its arguments, where, how, and under which name. */
import type { EnvironmentInfo } from "../../../../core/protocol/Environment.ts"
import * as ProcessName from "../../../../core/client/ProcessName.ts"
import { toNative } from "../../../../core/client/RemotePath.ts"
import { messageOf } from "../link/Attachment.ts"
import * as Starting from "../link/Starting.ts"
import * as CommandLine from "../model/CommandLine.ts"
import * as Outage from "../model/Outage.ts"
import { keyOf, type Row } from "../model/Rows.ts"
import { button, el, onSubmit, say } from "./dom.ts"
import type { Page } from "./Page.ts"

export interface StartDialog {
  readonly element: HTMLDialogElement
  readonly open: () => void
  /** Opens a shell, without the dialog. */
  readonly shell: () => void
}

/** The command of a form, or its fault. */
const argvOf = (line: string, isShell: boolean, { shell }: EnvironmentInfo): CommandLine.Split => {
  if (!isShell) return CommandLine.split(line)
  return line.trim() === "" ? { fault: "there is no command" } : { words: [shell.path, "-c", line] }
}

/** The fault of a name, by the rule of `procwire run --name`. */
const faultOf = (name: string, rows: Iterable<Row>): string | undefined => {
  if (name === "") return undefined
  if (!ProcessName.isName(name)) return `the name '${name}' is not valid: expected ${ProcessName.expected}`
  const isTaken = Array.from(rows).some((row) => row.name === name)
  return isTaken ? `a process is called ${name} already: give another name, or remove it` : undefined
}

const makeForm = (page: Page) => {
  const info = page.link.client.environmentInfo
  const directory = info.cwd == null ? "" : toNative(info.cwd, info)
  const typed = { autocomplete: "off", spellcheck: "false" }
  const command = el("textarea", { name: "command", rows: 2, required: true, ...typed })
  const name = el("input", { type: "text", name: "name", ...typed })
  const cwd = el("input", { type: "text", name: "cwd", placeholder: directory, ...typed })
  const stdin = el("input", { type: "checkbox", name: "stdin" })
  const beside = el("input", { type: "checkbox", name: "beside" })
  const fault = el("p", { class: "fault", role: "alert" })
  const submit = el("button", { class: "button primary" }, "Start")
  const cancel = button("Cancel", () => form.closest("dialog")?.close())
  const form = el(
    "form",
    { class: "form", method: "dialog" },
    el("h2", {}, "Start a process"),
    choices("kind", "Command", [
      ["shell", `Line for ${info.shell.name}`],
      ["argv", "Program and arguments"],
    ]),
    el("label", {}, "Command", command),
    el("div", { class: "pair" }, el("label", {}, "Name", name), el("label", {}, "Directory", cwd)),
    choices("streams", "Output", [
      ["tty", "Terminal"],
      ["pipes", "Pipes: stdout and stderr apart"],
    ]),
    el("label", { class: "check only-pipes" }, stdin, "Keep its stdin open, to write to it"),
    el("label", { class: "check" }, beside, "Open beside the others"),
    fault,
    el("div", { class: "actions" }, cancel, submit),
  )
  const chosen = (group: string) => new FormData(form).get(group)
  const wanted = (): Starting.Wanted | { readonly fault: string } => {
    const split = argvOf(command.value, chosen("kind") === "shell", info)
    if ("fault" in split) return split
    const called = name.value.trim()
    const wrong = faultOf(called, page.link.lists.get()?.rows.values() ?? [])
    if (wrong !== undefined) return { fault: wrong }
    return {
      argv: split.words,
      cwd: cwd.value.trim(),
      name: called,
      tty: chosen("streams") === "tty",
      stdin: stdin.checked,
      size: Starting.size,
    }
  }
  return { form, command, name, beside, fault, submit, wanted }
}

export const make = (page: Page): StartDialog => {
  const { form, command, name, beside, fault, submit, wanted } = makeForm(page)
  const element = el("dialog", { "aria-label": "Start a process" }, form)

  const begin = async (wanted: Starting.Wanted, isBeside: boolean) => {
    const place = await Starting.start(page.link, wanted)
    page.started.add(keyOf(place))
    await page.link.refresh()
    // A dialog that closes gives the focus back: then the terminal takes it.
    element.close()
    page.open(place, isBeside)
  }
  const shell = async () => {
    const status = page.link.status.get()
    if (status.kind === "lost") return page.announce(`${Outage.headline(status)}.`, "bad")
    const { open } = page.tiles.get()
    await begin(Starting.shell(page.link), open.length > 0).catch((error: unknown) =>
      page.announce(messageOf(error), "bad"),
    )
  }

  const start = async () => {
    const asked = wanted()
    if ("fault" in asked) return say(fault, `${asked.fault}.`)
    const status = page.link.status.get()
    if (status.kind === "lost") return say(fault, `${Outage.headline(status)}.`)
    submit.disabled = true
    try {
      await begin(asked, beside.checked)
    } catch (error) {
      say(fault, messageOf(error))
    } finally {
      submit.disabled = false
    }
  }
  onSubmit(form, () => void start())
  command.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
    event.preventDefault()
    form.requestSubmit()
  })
  return {
    element,
    shell: () => void shell(),
    open: () => {
      say(fault, "")
      command.value = ""
      name.value = ""
      element.showModal()
      command.focus()
    },
  }
}

/** A choice of one, the first at the beginning. */
const choices = (
  group: string,
  label: string,
  values: ReadonlyArray<readonly [value: string, says: string]>,
) =>
  el(
    "fieldset",
    { class: "choices" },
    el("legend", { class: "offscreen" }, label),
    ...values.map(([value, says], index) =>
      el(
        "label",
        {},
        el("input", { type: "radio", name: group, value, checked: index === 0 }),
        el("span", {}, says),
      ),
    ),
  )
