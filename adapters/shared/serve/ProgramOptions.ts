/** Options from the object that a program gives to `serve`: checked by name and by value, as flags are. */
import * as Effect from "effect/Effect"
import * as OptionNames from "../../../core/client/OptionNames.ts"
import type * as TextFile from "../host/TextFile.ts"
import * as ConfigFile from "./ConfigFile.ts"
import * as Given from "./Given.ts"
import * as Options from "./Options.ts"
import { invalid, type ServeError } from "./ServeError.ts"

/** What a program gives; an option that does not exist is refused by name. */
const fromProgram = (options: unknown): Effect.Effect<Given.Givens, ServeError> =>
  Effect.gen(function* () {
    const givens = new Map<Options.Path, Given.Given>()
    for (const [group, names] of Object.entries(Options.names)) {
      const values: unknown = group === "" ? options : Reflect.get(Object(options), group)
      const refusal = OptionNames.refusal(group === "" ? "serve" : group, names, values)
      if (refusal !== undefined) return yield* invalid(refusal.message)
      for (const [name, value] of Object.entries(Object(values))) {
        const path = group === "" ? name : `${group}.${name}`
        if (!Object.hasOwn(Options.names, path)) givens.set(path, { value, label: path })
      }
    }
    return givens
  })

/** The options of a program, above those of the file that it names. */
export const settle = (options: unknown): Effect.Effect<Given.Settings, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const given = yield* fromProgram(options)
    const config = given.get("config")?.value
    const sources = typeof config === "string" ? [yield* ConfigFile.read(config, "config")] : []
    return yield* Given.settle([...sources, given], ({ path }) => path)
  })
