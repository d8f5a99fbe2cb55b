/** `--env-file`: variables from files, a line for each: `K=V` sets one, `K` passes this process's value on. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as TextFile from "../host/TextFile.ts"
import * as Flags from "./Flags.ts"

/** The variables of all files; a later one wins. */
export const read = (
  command: string,
  files: ReadonlyArray<string> = [],
): Effect.Effect<Readonly<Record<string, string>>, Flags.UsageError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const found: Record<string, string> = {}
    for (const file of files) {
      const wrong = (message: string) => new Flags.UsageError({ command, message })
      const text = yield* TextFile.readText(file, (why) => wrong(`cannot read --env-file ${file}: ${why}`))
      for (const [index, line] of text.split(/\r?\n/).entries()) {
        const variable = line.trimStart()
        if (variable === "" || variable.startsWith("#")) continue
        const [name = "", ...values] = variable.split("=")
        if (!/^[^\s\0]+$/.test(name))
          return yield* wrong(`--env-file ${file}:${index + 1}: expected NAME=VALUE, NAME or # and a comment`)
        const value = values.length > 0 ? values.join("=") : process.env[name]
        if (value !== undefined) found[name] = value
      }
    }
    return found
  })
