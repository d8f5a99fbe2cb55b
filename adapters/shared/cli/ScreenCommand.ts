/** `procwire screen`: what the terminal of a process shows. */
import * as Effect from "effect/Effect"
import * as Screen from "../../../core/features/screen/wire.ts"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as OutFile from "./OutFile.ts"
import * as Access from "./server/Access.ts"
import { unable } from "./server/Unable.ts"
import * as TargetFlags from "./TargetFlags.ts"

export const screen = Command.make({
  name: "screen",
  summary: "Show what the terminal of a process shows, as text, or to be painted",
  usage: "[OPTIONS] NAME",
  flags: {
    ansi: {
      ...Flags.toggle("as what paints it on a terminal of the same size"),
      excludes: ["json"],
    },
    json: Flags.toggle("a line of JSON: what process/screen tells, with text, cursor, title, size and lines"),
    scrollback: Flags.whole(
      `also the last lines that have left it at its top, at most ${Screen.mostScrollback} [default: 0]`,
      0,
      Screen.mostScrollback,
    ),
    output: Flags.file("write it to a file, which is replaced as a whole [default: stdout]", "o"),
    ...TargetFlags.flags,
  },
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
  run: (given) =>
    Effect.gen(function* () {
      const { scrollback = 0, output } = given.values
      const kind = kinds.find((each) => given.values[each] === true)
      const { about, client, ref, row } = yield* Control.findOnly(given)
      if (!row.tty)
        return yield* unable(
          `${ref} has no terminal: start it with run -d -t; procwire logs ${ref} shows what it prints`,
        )
      yield* Access.need(client, "processScreen", remedy)
      const picture = yield* Control.look(client, row).pipe(
        Effect.flatMap((process) => process.screen({ formats: formats[kind ?? "text"], scrollback })),
        about,
      )
      const text = textOf(picture, kind)
      return yield* output === undefined ? LocalTerminal.print(text) : OutFile.replace(output, text)
    }),
})

const kinds = ["ansi", "json"] as const

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
