/**
 * What somebody has given for options, in whatever way, and how they call it: errors use that name. Several sources
 * become one set of checked options; a later source wins.
 */
import * as Effect from "effect/Effect"
import type * as Option from "./Option.ts"
import * as Options from "./Options.ts"
import { invalid, type ServeError } from "./ServeError.ts"
import { isOfEffect4 } from "./SpawnerLayer.ts"

/** One value, which nobody has checked. */
export interface Given {
  readonly value: unknown
  /** How errors name it: `--listen`, `PROCWIRE_LISTEN`, `listen (/etc/procwire.conf:3)`, `listen`. */
  readonly label: string
}

/** The values of one source. */
export type Givens = ReadonlyMap<Options.Path, Given>

/** Options that are possible, each for itself. */
export interface Settings {
  readonly options: Options.Options
  readonly label: Option.Label
}

/** Checks what the sources give, the last one first. `usual` names options that none of them gives. */
export const settle = (
  sources: ReadonlyArray<Givens>,
  usual: (entry: Options.Entry) => string,
): Effect.Effect<Settings, ServeError> =>
  Effect.gen(function* () {
    const given = new Map(sources.flatMap((source) => [...source]))
    const options: Record<string, unknown> = {}
    const labels = new Map(Options.all.map((entry) => [entry.path, usual(entry)]))
    for (const [path, found] of given) {
      if (found.value === undefined) continue
      const rule = Options.ruleOf(path)
      if (!rule.accepts(found.value)) return yield* refuse(found, rule)
      labels.set(path, found.label)
      put(options, path, found.value)
    }
    // Every value has been checked by its rule.
    return { options: options as Options.Options, label: (path) => labels.get(path) ?? path }
  })

/** An error that names the value, the option as it was given, and what is possible. */
export const refuse = (
  { value, label }: Given,
  { expected, isSecret }: Omit<Option.Rule, "accepts">,
): ServeError => {
  const plain = isSecret !== true && (typeof value === "string" || typeof value === "number")
  const shown = plain || typeof value === "boolean" ? `'${String(value)}'` : kindOf(value)
  return invalid(
    label.startsWith("--")
      ? `invalid value ${shown} for '${label}': expected ${expected}`
      : `${label}: invalid value ${shown}: expected ${expected}`,
  )
}

const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  return isOfEffect4(value) ? "a layer of Effect 4" : `a ${typeof value}`.replace("a o", "an o")
}

const put = (options: Record<string, unknown>, path: Options.Path, value: unknown): void => {
  const [group = "", name] = path.split(".")
  options[group] = name === undefined ? value : { ...Object(options[group]), [name]: value }
}
