/** The state of one decoding, its fault, and the words for the values that are not what a schema wants. */
import * as Either from "effect/Either"
import { decimalText, describe, isDecimal, type Json } from "../Json.ts"

/**
 * The value is not what the schema wants. `message` is the text for the client, without the field; with `whole` the
 * field is not added.
 */
export class Fault extends Error {
  readonly whole: boolean

  constructor(message: string, whole = false) {
    super(message)
    this.whole = whole
  }
}

/** One decoding on its way through a value. After a fault it shows where that is. */
export interface Reading {
  /** The fields and indexes that lead to the current value. */
  readonly path: Array<string>
  /**
   * True inside of a tagged choice. There the peer implementation has a value before it knows its type: numbers have
   * names of their own, and tags may be indexes.
   */
  buffered: boolean
  /** The platform of the host. */
  readonly platform: string
}

/** Decodes a value by the schema that it was made for. Throws `Fault`. */
export type Read = (json: Json, reading: Reading) => unknown

/** Decodes a value that is a member of another. */
export const member = (name: string, read: Read, json: Json, reading: Reading): unknown => {
  reading.path.push(name)
  const value = read(json, reading)
  reading.path.pop()
  return value
}

/** The type of a value in the words of the peer implementation where it tells numbers apart. */
export const describeExactly = (json: Json): string => {
  if (isDecimal(json)) return `floating point \`${decimalText(json)}\``
  return typeof json === "number" || typeof json === "bigint" ? `integer \`${json}\`` : describe(json)
}

/** The fault of a value of another type. */
export const wrongType = (json: Json, expected: string, { buffered }: Pick<Reading, "buffered">): Fault =>
  new Fault(`invalid type: ${buffered ? describeExactly(json) : describe(json)}, expected ${expected}`)

/** `1 element`, `2 elements` */
export const elements = (count: number): string => `${count} element${count === 1 ? "" : "s"}`

/** The fault of a sequence of more elements than there are fields. */
export const tooLong = (length: number, most: number, { buffered }: Reading): Fault =>
  new Fault(
    `invalid length ${length}, expected ${buffered ? `${elements(most)} in sequence` : "fewer elements in array"}`,
  )

/**
 * Reads one value. Left is the text of the first fault, with the field unless `located` is false. `platform` is that of
 * the host, by which paths are judged: `linux`, `macos`, `windows`.
 */
export const run = <A>(
  read: Read,
  json: Json,
  { located = true, platform = "this host" } = {},
): Either.Either<A, string> => {
  const reading: Reading = { path: [], buffered: false, platform }
  try {
    return Either.right(read(json, reading) as A)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const complete = !located || error.whole
    return Either.left(complete ? error.message : withField(error.message, reading.path))
  }
}

const withField = (message: string, path: ReadonlyArray<string>): string => {
  if (path.length === 0) return message
  const field = path.join(".")
  return message.startsWith("missing field")
    ? `${message} of \`${field}\``
    : `${message} (field \`${field}\`)`
}
