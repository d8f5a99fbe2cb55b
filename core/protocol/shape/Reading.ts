/**
 * The readers of values of the wire, and the words of their faults. Both are those of serde, a library of
 * Rust that the peer implementation reads with.
 */
import * as Result from "effect/Result"
import { decimalText, describe, isDecimal, type Json } from "../Json.ts"

/**
 * The value is not what was expected. `message` is the text for the client, without the field; with `whole` the field
 * is not added.
 */
export class Fault extends Error {
  readonly whole: boolean

  constructor(message: string, whole = false) {
    super(message)
    this.whole = whole
  }
}

/** One reading on its way through a value. After a fault it shows where that is. */
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
  /** True if a struct is an object, and a word a text: no other form is taken. */
  readonly plain: boolean
}

/** Reads a value. Throws `Fault`. */
export type Read = (json: Json, reading: Reading) => unknown

/** Options of a reading. */
export interface Options {
  /** Whether the text of a fault names the field; the default is true. */
  readonly located?: boolean
  /** The operating system of the host, by which paths are judged: `linux`, `macos`, `windows`. */
  readonly platform?: string | undefined
  /**
   * Whether to take what servers send and nothing else. Otherwise also what they take: a struct may be an array of its
   * fields in their order, a word an object with one member. The default is false.
   */
  readonly plain?: boolean
}

/** Reads one value. A failure is the text of the first fault, in one line. */
export const run = <A>(
  read: Read,
  json: Json,
  { located = true, platform = "this host", plain = false }: Options = {},
): Result.Result<A, string> => {
  const reading: Reading = { path: [], buffered: false, platform, plain }
  try {
    return Result.succeed(read(json, reading) as A)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const complete = !located || error.whole
    return Result.fail(complete ? error.message : withField(error.message, reading.path))
  }
}

const withField = (message: string, path: ReadonlyArray<string>): string => {
  if (path.length === 0) return message
  const field = path.join(".")
  return message.startsWith("missing field")
    ? `${message} of \`${field}\``
    : `${message} (field \`${field}\`)`
}

/** Reads a value that is a member of another. */
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

/** The fault of an object without a field. */
export const missing = (name: string): Fault => new Fault(`missing field \`${name}\``)

/** `1 element`, `2 elements` */
export const elements = (count: number): string => `${count} element${count === 1 ? "" : "s"}`
