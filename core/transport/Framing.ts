/**
 * JSON texts as lines and back: one text per `\n`, as on stdin and stdout.
 *
 * Plain functions over `Uint8Array`. A character may be split over any number of chunks. A trailing `\r` is dropped,
 * blank lines are skipped, an unterminated last line is never delivered. Invalid UTF-8 or a line that is too long ends
 * the decoder; the lines before it are still delivered.
 */
import { indexOf, lastIndexOf, strictUtf8Decoder, utf8 } from "../protocol/Bytes.ts"
import { smallest } from "../protocol/CutText.ts"
import { maxMessageBytes, tooLong, TransportError } from "./Transport.ts"

const newline = 10
const carriageReturn = 13
const smallestPartial = 4096
const largestKept = 1024 * 1024

const decoder = strictUtf8Decoder()

/** Blank for the peer: Unicode White_Space, which does not include the byte order mark. */
const blank = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/u

/** The text of one message, undefined if the bytes are not UTF-8. A byte order mark is kept. */
export const decodeText = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** UTF-8 of a text. ASCII, as in output messages, is encoded in one pass without a copy. */
export const encodeText = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  return utf8.encodeInto(text, bytes).read === text.length ? bytes : utf8.encode(text)
}

/** A message and its `\n` in one buffer. */
export const encodeLine = (message: string | Uint8Array): Uint8Array => {
  const length = message.length
  let line = new Uint8Array(length + 1)
  if (typeof message !== "string") {
    line.set(message)
  } else if (!fits(utf8.encodeInto(message, line), length)) {
    const bytes = utf8.encode(message)
    line = new Uint8Array(bytes.length + 1)
    line.set(bytes)
  }
  line[line.length - 1] = newline
  return line
}

/**
 * Splits a byte stream into lines. The `push` that meets a broken line sets `failure`. `cut` may make something else
 * than a text of a line of at least `smallest` bytes.
 */
export class LineDecoder<A = never> {
  /** The fault of a stream that cannot be decoded further; later chunks are ignored. */
  failure: TransportError | undefined = undefined
  private partial: Uint8Array = new Uint8Array(0)
  private length = 0
  private readonly maxLineBytes: number
  private readonly cut: ((line: Uint8Array) => A | undefined) | undefined

  constructor(maxLineBytes: number = maxMessageBytes, cut?: (line: Uint8Array) => A | undefined) {
    this.maxLineBytes = maxLineBytes
    this.cut = cut
  }

  /** Takes a chunk, which the caller may reuse, and returns the lines that it completes. */
  push(chunk: Uint8Array): ReadonlyArray<string | A> {
    const lines: Array<string | A> = []
    if (this.failure !== undefined) return lines
    let start = 0
    if (this.length > 0) {
      const end = indexOf(chunk, newline)
      this.keep(end < 0 ? chunk : chunk.subarray(0, end))
      if (end < 0 || this.failure !== undefined) return lines
      this.line(this.partial.subarray(0, this.length), lines)
      this.length = 0
      if (this.partial.length > largestKept) this.partial = new Uint8Array(0)
      start = end + 1
    }
    const last = lastIndexOf(chunk, newline)
    if (last >= start && this.failure === undefined) {
      this.lines(chunk.subarray(start, last), lines)
      start = last + 1
    }
    if (start < chunk.length && this.failure === undefined) this.keep(chunk.subarray(start))
    return lines
  }

  /** Decodes complete lines, the last without its `\n`, in one call for the chunk. */
  private lines(bytes: Uint8Array, into: Array<string | A>): void {
    if (bytes.length <= this.maxLineBytes && !this.beginsLong(bytes)) {
      const text = decodeText(bytes)
      if (text !== undefined) {
        let start = 0
        for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
          add(text.slice(start, end), into)
          start = end + 1
        }
        add(start === 0 ? text : text.slice(start), into)
        return
      }
    }
    let start = 0
    while (start <= bytes.length && this.failure === undefined) {
      const end = indexOf(bytes, newline, start)
      this.line(bytes.subarray(start, end < 0 ? bytes.length : end), into)
      start = (end < 0 ? bytes.length : end) + 1
    }
  }

  /** True if the first line may be cut: then the others are likely to be such lines, too. */
  private beginsLong(bytes: Uint8Array): boolean {
    if (this.cut === undefined || bytes.length < smallest) return false
    const end = indexOf(bytes, newline)
    return end < 0 || end >= smallest
  }

  private line(bytes: Uint8Array, into: Array<string | A>): void {
    if (bytes.length > this.maxLineBytes) return this.tooLarge()
    const cut = this.cut?.(bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes)
    if (cut !== undefined) return void into.push(cut)
    const text = decodeText(bytes)
    if (text !== undefined) return add(text, into)
    this.failure = new TransportError({
      reason: "InvalidUtf8",
      message: "stream did not contain valid UTF-8",
    })
  }

  private keep(bytes: Uint8Array): void {
    const length = this.length + bytes.length
    if (length > this.maxLineBytes) return this.tooLarge()
    if (length > this.partial.length) {
      const grown = new Uint8Array(Math.max(smallestPartial, this.partial.length * 2, length))
      grown.set(this.partial.subarray(0, this.length))
      this.partial = grown
    }
    this.partial.set(bytes, this.length)
    this.length = length
  }

  private tooLarge(): void {
    this.partial = new Uint8Array(0)
    this.failure = tooLong(this.maxLineBytes)
  }
}

/** True if the whole text was encoded with one byte per UTF-16 unit. */
const fits = (encoded: { readonly read: number; readonly written: number }, length: number): boolean =>
  encoded.read === length && encoded.written === length

const add = (line: string, into: Array<unknown>): void => {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line
  if (text.charCodeAt(0) > 0x20 && text.charCodeAt(0) < 0x7f) into.push(text)
  else if (!blank.test(text)) into.push(text)
}
