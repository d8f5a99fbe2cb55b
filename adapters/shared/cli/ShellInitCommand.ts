/** `procwire shell-init`: prints what makes a shell tell its prompts and commands. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import type { Platform } from "../Platform.ts"
import * as Flags from "./Flags.ts"
import { texts } from "./ShellInit.ts"
import { help as helpFlag, type Spec } from "./table/Spec.ts"

const command = "procwire shell-init"

const flags = helpFlag

export const spec: Spec = {
  name: "shell-init",
  summary: "Print what makes an interactive shell tell where its prompts and commands begin and end",
  usage: "bash|zsh",
  flags,
  operands: Object.keys(texts),
  text: `
The shell then prints the sequences OSC 133 and OSC 633, which terminals do not show. A process that was started with
marks: true tells them as process/mark, with exit codes: one shell can be driven command by command.`,
  examples: [`eval "$(procwire shell-init bash)"`, "procwire shell-init zsh >> ~/.zshrc"],
}

/** Prints the text for a shell. */
export const shellInit = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [shell, ...more] = args
    const names = Object.keys(texts)
    const text = shell !== undefined && Object.hasOwn(texts, shell) ? texts[shell] : undefined
    if (shell?.startsWith("-") === true) return yield* Effect.asVoid(Flags.parse(command, args, flags))
    if (text === undefined || more.length > 0) {
      const given = shell === undefined ? "no shell is named" : `invalid shell '${args.join(" ")}'`
      const message = `${given}: expected ${names.join(" or ")}${Suggestion.ofWord(shell ?? "", names)}`
      return yield* new Flags.UsageError({ command, message })
    }
    process.stdout.write(text)
  })
