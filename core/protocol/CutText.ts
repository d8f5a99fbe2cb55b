/**
 * A message whose long base64 is decoded while the message is still bytes, and never becomes a string.
 *
 * As a string it would be made, searched for control characters, decoded, encoded again to be compared, and collected:
 * most of what 64 KiB for a child's stdin would cost. Only what may be the `chunk` of params is cut out, and only if it
 * is strict base64; every other message is a text. So the text as it came can always be had back.
 */
import {
  indexOf,
  strictUtf8Decoder,
  toBase64,
  utf8,
  base64Length,
  decodeBase64,
  decodesBytes,
} from "./Bytes.ts"
import { giveBack, MemoryPool } from "./MemoryPool.ts"

/** The shortest base64 that is cut out, in bytes. Shorter ones cost as little as a string. */
export const smallest = 4096
/** Longest distance of its key from the beginning of a message, in bytes. */
const farthest = 1024

const key = utf8.encode('"chunk":')
const [quote, backslash, space] = [0x22, 0x5c, 0x20]
const decoder = strictUtf8Decoder()

/** A message without its base64. */
export class CutText {
  /** The text without what the string contains: of that, only the quotes are there. */
  readonly text: string
  /** Index of the closing quote in `text`. */
  readonly at: number
  /** The decoded base64. */
  readonly bytes: Uint8Array
  /** Length of the text as it came, in UTF-16 units. */
  readonly length: number

  private constructor(head: string, tail: string, bytes: Uint8Array, cut: number) {
    this.text = head + tail
    this.at = head.length
    this.bytes = bytes
    this.length = this.text.length + cut
  }

  /** The text as it came. */
  whole(): string {
    return this.text.slice(0, this.at) + toBase64(this.bytes) + this.text.slice(this.at)
  }

  /**
   * Cuts a message, whose memory may be used again afterwards; the bytes are memory of the pool. Undefined if there is
   * nothing to cut out.
   */
  static fromBytes(message: Uint8Array, pool: MemoryPool): CutText | undefined {
    if (message.length < smallest || !decodesBytes) return undefined
    const from = contentOf(message)
    const to = from === -1 ? -1 : indexOf(message, quote, from)
    if (to - from < smallest) return undefined
    const base64 = message.subarray(from, to)
    const length = base64Length(base64)
    if (length === undefined) return undefined
    const bytes = pool.take(length)
    const cut = decodeBase64(base64, bytes) ? around(message, from, to) : undefined
    if (cut === undefined) return void giveBack(bytes)
    return new CutText(cut.head, cut.tail, bytes, to - from)
  }
}

/** Cuts messages as clients send them, into memory of the pool. */
export const cutter =
  (pool: MemoryPool) =>
  (message: Uint8Array): CutText | undefined =>
    CutText.fromBytes(message, pool)

/**
 * Cuts notifications of a server, which begin with their method, into memory of their taker. An answer with
 * chunks is a text: it may have many of them.
 */
export const cutNotification = (message: Uint8Array): CutText | undefined =>
  message[firstOfKey] === firstOfMethod ? CutText.fromBytes(message, unpooled) : undefined

const unpooled = new MemoryPool(0, 0)
/** `m` behind `{"`. */
const [firstOfKey, firstOfMethod] = [2, 0x6d]

/** The text of a message that may be cut. */
export const toText = (message: string | CutText): string =>
  typeof message === "string" ? message : message.whole()

/** The texts around the base64; undefined if they are not UTF-8. */
const around = (message: Uint8Array, from: number, to: number) => {
  try {
    return { head: decoder.decode(message.subarray(0, from)), tail: decoder.decode(message.subarray(to)) }
  } catch {
    return undefined
  }
}

/** Index of the content of the string after the first such key; -1 if there is none. */
const contentOf = (message: Uint8Array): number => {
  const last = Math.min(message.length - key.length, farthest)
  for (let at = indexOf(message, quote); at !== -1 && at <= last; at = indexOf(message, quote, at + 1)) {
    if (!isKey(message, at)) continue
    const behind = at + key.length
    const open = message[behind] === space ? behind + 1 : behind
    return message[open] === quote ? open + 1 : -1
  }
  return -1
}

/** A quote after a backslash belongs to a string. */
const isKey = (message: Uint8Array, at: number): boolean => {
  for (let i = 0; i < key.length; i += 1) if (message[at + i] !== key[i]) return false
  return message[at - 1] !== backslash
}
