/** `--filter KEY=VALUE`: which processes of a list are wanted. */
import * as Effect from "effect/Effect"
import type { ListedProcess, ListOptions, State } from "../../../../core/client/Lists.ts"
import * as Suggestion from "../../../../core/protocol/Suggestion.ts"
import * as Flags from "../Flags.ts"

export const keys = ["name", "label", "state", "session", "exit"] as const

type Key = (typeof keys)[number]

/** The flag, which may be repeated. */
export const flag = (help: string) =>
  ({
    ...Flags.texts("KEY=VALUE", help, { short: "f", completes: keys.map((key) => `${key}=`) }),
    read: (text: string) => readTerm(text),
  }) as const

/** The states that `state=` may name; `exited` is also one whose output is complete. */
const states: ReadonlyArray<State> = ["starting", "running", "exited", "closed"]

export interface Filter {
  readonly asked: Pick<ListOptions, "states">
  readonly matches: (row: ListedProcess) => boolean
}

export interface Term {
  readonly key: Key
  readonly value: string
}

/** Several of one key are alternatives, but for labels, of which a process needs all. */
export const of = (terms: ReadonlyArray<Term> = []): Filter => {
  const named = terms.filter(({ key }) => key === "state").map(({ value }) => value as State)
  const wanted = named.includes("exited") ? [...new Set([...named, "closed" as const])] : named
  return {
    asked: wanted.length === 0 ? {} : { states: wanted },
    matches: (row) => keys.every((key) => isMet(key, terms, row)),
  }
}

const readTerm = (text: string): Effect.Effect<Term, Flags.UsageError> => {
  const wrong = (why: string) => Flags.wrong(`invalid value '${text}' for '--filter': ${why}`)
  const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (!isKey(key)) return wrong(`expected ${keys.join("=, ")}=${Suggestion.ofWord(key, keys)}`)
  if (key === "state" && !states.some((state) => state === value))
    return wrong(`expected state=${states.join(", ")}${Suggestion.ofWord(value, states)}`)
  if ((key === "session" || key === "exit") && !/^\d{1,9}$/.test(value))
    return wrong("expected a whole number")
  return Effect.succeed({ key, value })
}

const isKey = (text: string): text is Key => keys.some((key) => key === text)

const isMet = (key: Key, terms: ReadonlyArray<Term>, row: ListedProcess): boolean => {
  const values = terms.filter((term) => term.key === key).map(({ value }) => value)
  if (values.length === 0 || key === "state") return true
  return key === "label"
    ? values.every((value) => hasLabel(value, row))
    : key === "name"
      ? values.some((value) => row.name?.includes(value) === true)
      : values.some((value) => value === String({ session: row.session, exit: row.exitCode }[key]))
}

/** `K=V`, or `K` with any value. */
const hasLabel = (text: string, { labels }: ListedProcess): boolean => {
  const cut = text.indexOf("=")
  const key = cut < 0 ? text : text.slice(0, cut)
  return Object.hasOwn(labels, key) && (cut < 0 || labels[key] === text.slice(cut + 1))
}
