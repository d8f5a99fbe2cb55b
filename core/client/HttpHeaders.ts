/** The headers of a request, in every form that `fetch` takes, as a list. What is none is refused by its name. */
import * as Either from "effect/Either"
import type { ClientError } from "./ClientError.ts"
import { invalid, shown } from "./OptionNames.ts"

/** A header of a request. */
export interface Header {
  /** The name; case does not matter. */
  readonly name: string
  /** The value, sent as UTF-8. */
  readonly value: string
  /**
   * An environment variable of the server, whose value is appended to `value`. Needs the capability
   * `httpHeaderEnvVars`.
   */
  readonly valueEnvVar?: string
}

/** Headers as `fetch` takes them: an object, pairs, a `Headers` or a `Map`; or a list. Names may be repeated in a list. */
export type HttpHeaders =
  | Readonly<Record<string, string>>
  | Iterable<readonly [name: string, value: string]>
  | ReadonlyArray<Header>

/** The headers as a list. Left says which of them is none. */
export const toList = (headers: unknown): Either.Either<ReadonlyArray<Header>, ClientError> => {
  if (headers == null) return Either.right([])
  if (typeof headers !== "object") return Either.left(none(headers))
  if (Symbol.iterator in headers) {
    const items = [...(headers as Iterable<unknown>)]
    return Either.all(items.map((item, index) => (isPair(item) ? ofPair(item, index) : ofItem(item, index))))
  }
  const prototype: unknown = Object.getPrototypeOf(headers)
  // Also an object of another realm, as programs have them under a test runner.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  if (!isPlain) return Either.left(none(headers))
  return Either.all(Object.entries(headers).map(([name, value]) => header(name, value, `headers.${name}`)))
}

const isPair = (item: unknown): item is readonly [unknown, unknown] =>
  Array.isArray(item) && item.length === 2

const ofPair = ([name, value]: readonly [unknown, unknown], index: number) =>
  typeof name === "string"
    ? header(name, value, `headers.${name}`)
    : Either.left(invalid(`the name of headers[${index}] is not a string, but ${shown(name)}`))

const ofItem = (item: unknown, index: number): Either.Either<Header, ClientError> =>
  typeof item === "object" && item !== null && "name" in item
    ? Either.right(item as Header)
    : Either.left(invalid(`headers[${index}] must be a pair or { name, value }, not ${shown(item)}`))

const header = (name: string, value: unknown, place: string): Either.Either<Header, ClientError> =>
  typeof value === "string" || typeof value === "number"
    ? Either.right({ name, value: String(value) })
    : Either.left(invalid(`${place} must be a string, not ${shown(value)}`))

const none = (headers: unknown): ClientError =>
  invalid(
    'headers must be an object as { accept: "text/plain" }, a list of pairs, a Headers or a Map, ' +
      `not ${shown(headers)}`,
  )
