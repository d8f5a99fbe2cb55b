/** `-e K=V` and `--env-file`: variables that a command line sets, or passes on from this process. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as TextFile from "../host/TextFile.ts"
import * as Flags from "./Flags.ts"

type Variables = Readonly<Record<string, string>>

export const flags = {
  env: {
    ...Flags.texts("K=V", 'set a variable; "-e K" passes this process\'s value on; may be repeated', {
      short: "e",
    }),
    read: (text: string): Effect.Effect<Variables, Flags.UsageError> => {
      const cut = text.indexOf("=")
      if (cut === 0 || text === "")
        return Flags.wrong(`invalid value '${text}' for '--env': expected NAME=VALUE or NAME`)
      return Effect.succeed(cut < 0 ? passedOn(text) : { [text.slice(0, cut)]: text.slice(cut + 1) })
    },
  },
} as const satisfies Flags.FlagTable

/** The variable of this process, if it has one of that name. */
const passedOn = (name: string): Variables => {
  const value = process.env[name]
  return value === undefined ? {} : { [name]: value }
}

export const all = ({ env = [] }: Flags.Values<typeof flags>): Variables =>
  Object.assign({}, ...env) as Variables

/**
 * The variables of all files, with a line for each: `K=V` sets one, `K` passes this process's value on. A later one
 * wins.
 */
export const readFiles = (
  files: ReadonlyArray<string> = [],
): Effect.Effect<Variables, Flags.UsageError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const found: Record<string, string> = {}
    for (const file of files) {
      const text = yield* TextFile.readText(file, (why) =>
        Flags.wrong(`cannot read --env-file ${file}: ${why}`),
      )
      for (const [index, line] of text.split(/\r?\n/).entries()) {
        const variable = line.trimStart()
        if (variable === "" || variable.startsWith("#")) continue
        const [name = "", ...values] = variable.split("=")
        if (!/^[^\s\0]+$/.test(name))
          return yield* Flags.wrong(
            `--env-file ${file}:${index + 1}: expected NAME=VALUE, NAME or # and a comment`,
          )
        Object.assign(found, values.length > 0 ? { [name]: values.join("=") } : passedOn(name))
      }
    }
    return found
  })
