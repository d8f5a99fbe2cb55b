/**
 * Options from a file: one in each line, its flag without dashes, blanks (or `=`), and its value, which ends with the
 * line. Empty lines and those that begin with `#` count for nothing; an option that may be repeated has a line for each
 * value; an option without a value is switched on by its name alone.
 */
import * as Effect from "effect/Effect"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import * as TextFile from "../host/TextFile.ts"
import type { Given, Givens } from "./Given.ts"
import * as Option from "./Option.ts"
import * as Options from "./Options.ts"
import { invalid, misconfigured, type ServeError } from "./ServeError.ts"

/** Reads a file; `label` is how errors name the option that names it. */
export const read = (file: string, label: string): Effect.Effect<Givens, ServeError, TextFile.TextFiles> =>
  TextFile.readText(file, (reason) => misconfigured(`cannot read ${label} ${file}: ${reason}`)).pipe(
    Effect.flatMap((text) => parse(file, text)),
  )

const byFlag = new Map(Options.all.map((entry) => [entry.option.flag, entry]))

const parse = (file: string, text: string): Effect.Effect<Givens, ServeError> =>
  Effect.gen(function* () {
    const givens = new Map<Options.Path, Given>()
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      const [, name, rest = ""] = /^\s*([^\s=#][^\s=]*)(?:\s*=|\s|$)\s*(.*?)\s*$/.exec(line) ?? []
      const place = `${file}:${index + 1}`
      if (name === undefined && !/^\s*(#.*)?$/.test(line))
        return yield* invalid(`${place}: expected the name of an option and its value`)
      if (name === undefined) continue
      const entry = byFlag.get(name)
      if (entry === undefined) {
        const meant = Suggestion.ofWord(name, [...byFlag.keys()])
        return yield* invalid(`${place}: there is no option '${name}'${meant}`)
      }
      const { path, option } = entry
      const before = givens.get(path)
      const isList = option.kind === "text" && option.repeatable === true
      if (before !== undefined && !isList)
        return yield* invalid(`${place}: '${name}' was given before: ${before.label}`)
      if (rest === "" && option.kind !== "switch")
        return yield* invalid(`${place}: '${name}' needs a value: ${name} ${option.shows}`)
      const value = isList
        ? [...((before?.value as ReadonlyArray<string>) ?? []), rest]
        : Option.fromText(option, rest === "" ? "true" : rest)
      givens.set(path, { value, label: before?.label ?? `${name} (${place})` })
    }
    return givens
  })
