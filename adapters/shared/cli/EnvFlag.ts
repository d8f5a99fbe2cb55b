/** `-e K=V`: variables that a command line sets, or passes on from this process. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Flags from "./Flags.ts"
import type { FlagSpecs } from "./table/Spec.ts"

export const flags = {
  env: {
    type: "string",
    short: "e",
    multiple: true,
    shows: "K=V",
    help: 'set a variable; "-e K" passes this process\'s value on; may be repeated',
  },
} as const satisfies FlagSpecs

/** The variables that all flags `--env` of `command` set. */
export const read = (
  command: string,
  { env = [] }: Flags.Values<typeof flags>,
): Effect.Effect<Readonly<Record<string, string>>, Flags.UsageError> =>
  Effect.gen(function* () {
    const variables: Array<readonly [name: string, value: string]> = []
    for (const text of env) {
      const cut = text.indexOf("=")
      if (cut === 0 || text === "") {
        const message = `invalid value '${text}' for '--env': expected NAME=VALUE or NAME`
        return yield* new Flags.UsageError({ command, message })
      }
      const name = cut < 0 ? text : text.slice(0, cut)
      const value = cut < 0 ? process.env[name] : text.slice(cut + 1)
      if (value !== undefined) variables.push([name, value])
    }
    return Object.fromEntries(variables)
  })
