/** The headers of a request, in every form that `fetch` takes, as a list. Invalid ones are refused by name. */
import * as Result from "effect/Result"
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
export const toList = (headers: unknown): Result.Result<ReadonlyArray<Header>, ClientError> => {
  if (headers == null) return Result.succeed([])
  if (typeof headers !== "object") return Result.fail(none(headers))
  if (Symbol.iterator in headers) {
    const items = [...(headers as Iterable<unknown>)]
    return Result.all(items.map((item, index) => (isPair(item) ? ofPair(item, index) : ofItem(item, index))))
  }
  const prototype: unknown = Object.getPrototypeOf(headers)
  // Also an object of another realm, as programs have them under a test runner.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  if (!isPlain) return Result.fail(none(headers))
  return Result.all(Object.entries(headers).map(([name, value]) => header(name, value, `headers.${name}`)))
}

const isPair = (item: unknown): item is readonly [unknown, unknown] =>
  Array.isArray(item) && item.length === 2

const ofPair = ([name, value]: readonly [unknown, unknown], index: number) =>
  typeof name === "string"
    ? header(name, value, `headers.${name}`)
    : Result.fail(invalid(`the name of headers[${index}] is not a string, but ${shown(name)}`))

const ofItem = (item: unknown, index: number): Result.Result<Header, ClientError> =>
  typeof item === "object" && item !== null && "name" in item
    ? Result.succeed(item as Header)
    : Result.fail(invalid(`headers[${index}] must be a pair or { name, value }, not ${shown(item)}`))

const header = (name: string, value: unknown, place: string): Result.Result<Header, ClientError> =>
  typeof value === "string" || typeof value === "number"
    ? Result.succeed({ name, value: String(value) })
    : Result.fail(invalid(`${place} must be a string, not ${shown(value)}`))

const none = (headers: unknown): ClientError =>
  invalid(
    'headers must be an object as { accept: "text/plain" }, a list of pairs, a Headers or a Map, ' +
      `not ${shown(headers)}`,
  )
