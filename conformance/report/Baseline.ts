/**
 * A baseline: the failures that are expected of a server, each with its reason.
 *
 * Guarantees: an entry whose case passes, or whose case does not exist, is stale, so a baseline never hides more than
 * it must. An entry marked `flaky` may pass or fail. If a case did not run, its entry is neither confirmed nor stale.
 */
import type { Case } from "../suite/Case.ts"
import { isObject, parse as parseJson, type Json } from "../suite/Json.ts"
import type { Outcome } from "../suite/RunCase.ts"
import { carries, transportKinds, type TransportKind } from "../suite/wire/TransportKind.ts"

/** One expected failure. */
export interface Entry {
  /** The id of the case; no glob. */
  readonly id: string
  /** The only transport on which it fails; all transports if absent. */
  readonly transport?: TransportKind
  /** Why this is a defect or an accident of the server, and not of the suite. */
  readonly reason: string
  /** The case fails in some runs only. */
  readonly flaky?: boolean
}

/** An entry that no longer holds. */
export interface Stale {
  /** The entry. */
  readonly entry: Entry
  /** Why it no longer holds, in a sentence. */
  readonly why: string
}

/** The text of a baseline is invalid; the message says how. */
export class BaselineError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "BaselineError"
}

const fail = (why: string): never => {
  throw new BaselineError(why)
}

const isTransport = (value: Json): value is TransportKind => transportKinds.some((kind) => kind === value)

const members = new Set(["id", "transport", "reason", "flaky"])

const entry = (value: Json, at: number): Entry => {
  const where = `entry ${at + 1}`
  if (!isObject(value)) return fail(`${where} is not an object`)
  const { id, transport, reason, flaky } = value
  if (typeof id !== "string") return fail(`${where} has no id`)
  const stranger = Object.keys(value).find((name) => !members.has(name))
  if (stranger !== undefined) return fail(`${where} (${id}) has the unknown member ${stranger}`)
  if (typeof reason !== "string" || reason.trim() === "") return fail(`${where} (${id}) has no reason`)
  if (transport !== undefined && !isTransport(transport))
    return fail(`${where} (${id}) has a transport that is none of ${transportKinds.join(", ")}`)
  if (flaky !== undefined && typeof flaky !== "boolean")
    return fail(`${where} (${id}) has a flaky that is neither true nor false`)
  return {
    id,
    reason,
    ...(transport === undefined ? {} : { transport }),
    ...(flaky === undefined ? {} : { flaky }),
  }
}

/** The entries of a JSON text; a {@link BaselineError} says what is wrong with it. */
export const parse = (text: string): ReadonlyArray<Entry> => {
  const value = parseJson(text)
  return Array.isArray(value) ? value.map(entry) : fail("it is not a JSON list")
}

const covers = (one: Entry, outcome: Outcome): boolean =>
  one.id === outcome.case.id && (one.transport === undefined || one.transport === outcome.transport)

/** The entry that expects this outcome to be a failure. */
export const find = (entries: ReadonlyArray<Entry>, outcome: Outcome): Entry | undefined =>
  entries.find((one) => covers(one, outcome))

const staleness = (
  one: Entry,
  cases: ReadonlyArray<Case>,
  outcomes: ReadonlyArray<Outcome>,
): string | undefined => {
  const item = cases.find(({ id }) => id === one.id)
  if (item === undefined) return "there is no such case"
  if (one.transport !== undefined && !carries(item.transports, one.transport))
    return `the case runs over ${item.transports} only`
  if (one.flaky === true) return undefined
  const ran = outcomes.filter((outcome) => covers(one, outcome) && outcome.status !== "skip")
  if (ran.length === 0 || ran.some(({ status }) => status === "fail")) return undefined
  return `it passes over ${ran.map(({ transport }) => transport).join(" and ")}`
}

/** The entries that no longer hold. `cases` are all that exist, not only those that ran. */
export const stale = (
  entries: ReadonlyArray<Entry>,
  cases: ReadonlyArray<Case>,
  outcomes: ReadonlyArray<Outcome>,
): ReadonlyArray<Stale> =>
  entries.flatMap((one) => {
    const why = staleness(one, cases, outcomes)
    return why === undefined ? [] : [{ entry: one, why }]
  })
