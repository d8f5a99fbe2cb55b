/**
 * Refuses options that do not exist, by name: programs in JavaScript have no compiler that does, and an option that is
 * ignored in silence reads as one that works.
 */
import * as Effect from "effect/Effect"
import * as Suggestion from "../protocol/Suggestion.ts"
import { type ClientError, clientError } from "./ClientError.ts"

/** The names of all options of `A`. The compiler refuses a table that lacks one or has one too many. */
export type Names<A> = Readonly<Record<keyof A, unknown>>

/** Hints of `start`, `run` and `$` for options that other libraries have, or only one of them. */
const elsewhere: Readonly<Record<string, string>> = {
  shell: "it belongs to $, whose templates are scripts then: $({ shell: true })",
  cancelSignal: "it is 'signal' here",
  forceKillAfterDelay: "it is 'killGraceMs' here",
  killSignal: "it is 'signalOnTimeout' here",
  nothrow: "it is 'reject: false' here",
}

/** The refusal of options of a start; undefined if they are right. */
export const refusalOfStart = (
  what: "start" | "run" | "$",
  names: Readonly<Record<string, unknown>>,
  options: unknown,
): ClientError | undefined => refusal(what, names, options, elsewhere)

/**
 * The refusal of options of `what`; undefined if they are right. No options at all are right. `known` has
 * what to say of names that are none of its options.
 */
export const refusal = (
  what: string,
  names: Readonly<Record<string, unknown>>,
  options: unknown,
  known: Readonly<Record<string, string>> = {},
): ClientError | undefined => {
  if (options === undefined) return undefined
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    return invalid(
      `${what} takes an object of options, not ${kindOf(options)}: ${listed(Object.keys(names))}`,
    )
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name))
  return unknown === undefined
    ? undefined
    : invalid(
        `${what} has no option '${unknown}': ${(Object.hasOwn(known, unknown) ? known[unknown] : undefined) ?? hint(unknown, names)}`,
      )
}

/** A call with options, `{}` where there are none; it fails if one of them does not exist. */
export const checked =
  <O, A, E>(what: string, names: Names<O>, use: (options: O) => Effect.Effect<A, E>) =>
  (options?: O): Effect.Effect<A, E | ClientError> =>
    Effect.suspend((): Effect.Effect<A, E | ClientError> => {
      const refused = refusal(what, names, options)
      return refused === undefined ? use(options ?? ({} as O)) : Effect.fail(refused)
    })

/** The error for an option, or a value of one, that is not possible. */
export const invalid = (message: string): ClientError => clientError("InvalidOption", message)

/** A value that is refused, as its error shows it. */
export const shown = (value: unknown): string => {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch {
    // A number of any length, or an object with a cycle.
  }
  return (text ?? String(value)).slice(0, 200)
}

const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`

const hint = (unknown: string, names: Readonly<Record<string, unknown>>): string => {
  const all = Object.keys(names)
  const near = Suggestion.near(unknown, all).slice(0, mostNear)
  return near.length > 0 ? `did you mean ${near.map((name) => `'${name}'`).join(" or ")}?` : listed(all)
}

/** The most names that are suggested. */
const mostNear = 2

/** The longest list of names that an error shows: one of all options of a start hides what is wrong. */
const longestList = 8

const listed = (all: ReadonlyArray<string>): string =>
  all.length > longestList ? `its type lists all ${all.length} options` : `its options are ${all.join(", ")}`
