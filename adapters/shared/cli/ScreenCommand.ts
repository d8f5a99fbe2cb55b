/** `procwire screen`: what the terminal of a process shows. */
import * as Effect from "effect/Effect"
import * as Screen from "../../../core/protocol/Screen.ts"
import type { Platform } from "../Platform.ts"
import * as Control from "./control/Control.ts"
import * as Join from "./control/Join.ts"
import * as Operands from "./control/Operands.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as OutFile from "./OutFile.ts"
import * as Access from "./server/Access.ts"
import { Unable } from "./server/Unable.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Failure from "./words/Failure.ts"

const command = "procwire screen"

const flags = {
  ansi: { type: "boolean", help: "as what paints it on a terminal of the same size" },
  json: {
    type: "boolean",
    help: "a line of JSON: what process/screen tells, with text, cursor, title, size and lines",
  },
  scrollback: {
    type: "string",
    shows: "N",
    help: `also the last lines that have left it at its top, at most ${Screen.mostScrollback} [default: 0]`,
  },
  output: {
    type: "string",
    short: "o",
    shows: "FILE",
    help: "write it to a file, which is replaced as a whole [default: stdout]",
    completes: "file",
  },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "screen",
  summary: "Show what the terminal of a process shows, as text, or to be painted",
  usage: "[OPTIONS] NAME",
  flags,
  operands: "process",
  text: `
The process needs a terminal (run -d -t); one that has ended still shows its last picture. The server paints with the
package @xterm/headless, which is installed beside it: npm install -g @xterm/headless.`,
  examples: [
    "procwire screen editor",
    "procwire screen --ansi -o editor.ansi editor",
    "procwire screen --scrollback 100 build",
    "procwire screen --json editor | jq .cursor",
  ],
}

const kinds = ["ansi", "json"] as const

/** Prints the picture. */
export const screen = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(command, args, flags)
    const ref = yield* Operands.one(command, operands)
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    const [kind, other] = kinds.filter((each) => values[each] === true)
    if (other !== undefined) return yield* wrong(`--${kind} and --${other} exclude each other`)
    const scrollback =
      values.scrollback === undefined
        ? 0
        : yield* Flags.wholeNumber(command, "--scrollback", values.scrollback, 0, Screen.mostScrollback)
    const control = yield* Control.open(command, values)
    const row = yield* Control.find(control, ref)
    if (control.client === undefined) return 1
    if (!row.tty)
      return yield* new Unable({
        message: `${ref} has no terminal: start it with run -d -t; procwire logs ${ref} shows what it prints`,
      })
    yield* Access.need(control.client, "processScreen", remedy)
    const picture = yield* Join.look(control.client, row).pipe(
      Effect.flatMap((process) => process.screen({ formats: formats[kind ?? "text"], scrollback })),
      Failure.about(ref, row),
    )
    const text = textOf(picture, kind)
    if (values.output === undefined) yield* LocalTerminal.write("stdout", new TextEncoder().encode(text))
    else yield* OutFile.replace(values.output, text)
    return 0
  }).pipe(Effect.scoped)

const remedy =
  "this server cannot paint terminals: install @xterm/headless beside it (npm install -g @xterm/headless); " +
  "one of an executable file has none"

const formats: Readonly<Record<"text" | (typeof kinds)[number], ReadonlyArray<Screen.Format>>> = {
  text: ["text"],
  ansi: ["ansi"],
  json: ["text", "lines"],
}

const textOf = (picture: Screen.ScreenResult, kind: (typeof kinds)[number] | undefined) => {
  if (kind === "ansi") return picture.ansi ?? ""
  return kind === "json" ? `${JSON.stringify(picture)}\n` : `${picture.text ?? ""}\n`
}
