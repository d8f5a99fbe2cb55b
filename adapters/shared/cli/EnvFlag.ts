/** `-e K=V`: variables that a command line sets, or passes on from this process. */
import process from "node:process"
import * as Flags from "./Flags.ts"

/** The variables of all flags `--env` of `command`. Throws `UsageError`. */
export const read = (command: string, texts: ReadonlyArray<string> = []): Record<string, string> =>
  Object.fromEntries(texts.flatMap((text) => toVariable(command, text)))

const toVariable = (command: string, text: string): ReadonlyArray<readonly [string, string]> => {
  const cut = text.indexOf("=")
  if (cut === 0 || text === "") {
    throw new Flags.UsageError(command, `invalid value '${text}' for '--env': expected NAME=VALUE or NAME`)
  }
  if (cut > 0) return [[text.slice(0, cut), text.slice(cut + 1)]]
  const value = process.env[text]
  return value === undefined ? [] : [[text, value]]
}
