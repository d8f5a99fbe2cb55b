/**
 * Buffers output for the next reply: its first bytes, its last bytes, and how many between them were dropped.
 *
 * `take` empties it, except for an incomplete UTF-8 character at the end, which is left to the next reply, and for the
 * plain form an incomplete escape sequence. Next to dropped bytes, characters that were cut are dropped whole.
 */
import { Growing } from "../client/CollectedOutput.ts"
import { concat, utf8Decoder } from "../protocol/Bytes.ts"
import * as PlainText from "./PlainText.ts"
import { blockBytes, Transcript } from "./Transcript.ts"
import * as Utf8 from "./Utf8.ts"

/** The kept output of a session between two replies, in bytes: the first and the last 512 KiB. */
export const sizes: Sizes = { head: 512 * 1024, tail: 512 * 1024 }

/** The kept bytes of the beginning and of the end. */
export interface Sizes {
  readonly head: number
  readonly tail: number
}

export class HeadTailBuffer {
  private readonly sizes: Sizes
  private head = new Growing()
  private tail: Transcript

  constructor(of: Sizes = sizes) {
    this.sizes = of
    this.tail = this.emptyTail()
  }

  push(bytes: Uint8Array): void {
    const room = this.sizes.head - this.head.length
    this.head.append(bytes.subarray(0, room))
    this.tail.push(bytes.subarray(room))
  }

  /** Moves the held bytes to another buffer. */
  moveTo(other: HeadTailBuffer): void {
    other.push(this.head.bytes)
    other.push(this.tailBytes())
    this.clear()
  }

  /** Takes the output since the last call. `last`: no more follows, so an incomplete character is taken too. */
  take(last: boolean, form: PlainText.Form = "raw"): PlainText.Taken {
    const { bytes: head } = this.head
    const tail = this.tailBytes()
    const omitted = this.tail.written - tail.length
    this.clear()
    const bytes = omitted > 0 ? tail : concat(tail.length === 0 ? [head] : [head, tail])
    const unfinished = last ? 0 : unfinishedOf(bytes, form)
    if (unfinished > 0) this.push(bytes.subarray(bytes.length - unfinished))
    const whole = bytes.subarray(0, bytes.length - unfinished)
    const total = head.length + tail.length + omitted - unfinished
    if (omitted === 0) return { head: text(whole), tail: "", omitted, total }
    const first = head.subarray(0, head.length - Utf8.unfinished(head))
    const rest = whole.subarray(Utf8.continued(whole))
    return { head: text(first), tail: text(rest), omitted: total - first.length - rest.length, total }
  }

  private tailBytes(): Uint8Array {
    const { written } = this.tail
    return this.tail.slice(Math.max(0, written - this.sizes.tail), written)
  }

  private clear(): void {
    this.head = new Growing()
    this.tail = this.emptyTail()
  }

  /** It drops whole blocks: with one more it never has less than is kept. */
  private emptyTail(): Transcript {
    return new Transcript(this.sizes.tail + blockBytes)
  }
}

const unfinishedOf = (bytes: Uint8Array, form: PlainText.Form): number =>
  Math.max(Utf8.unfinished(bytes), form === "plain" ? PlainText.unfinished(bytes) : 0)

/** Malformed bytes become U+FFFD. */
const text = (bytes: Uint8Array) => utf8Decoder().decode(bytes)
