/**
 * Output that waits for whoever asks: its first bytes, its last bytes, and how many between them were dropped.
 *
 * Bounded whatever a program prints. `take` empties it, except for a character whose last bytes have not come:
 * that one belongs to the next reply. Where something was dropped, characters that were cut in two are dropped
 * whole.
 */
import { concat, utf8Decoder } from "../protocol/Bytes.ts"
import { ByteRing } from "./ByteRing.ts"
import * as Utf8 from "./Utf8.ts"

/** What is kept of one process between two replies, and in a reply: 1 MiB, half of it the beginning. */
export const sizes: Sizes = { head: 512 * 1024, tail: 512 * 1024 }

/** How many bytes of the beginning and of the end are kept. With `head` 0 it is a ring. */
export interface Sizes {
  readonly head: number
  readonly tail: number
}

/** What was collected. Nothing lies between `head` and `tail` when `omitted` is 0. */
export interface Taken {
  readonly head: string
  readonly tail: string
  readonly omitted: number
  /** Bytes in all, the omitted ones too. */
  readonly total: number
}

export class HeadTailBuffer {
  private readonly sizes: Sizes
  private readonly head: ByteRing
  private readonly tail: ByteRing
  private omitted = 0

  constructor(of: Sizes = sizes) {
    this.sizes = of
    this.head = new ByteRing(of.head)
    this.tail = new ByteRing(of.tail)
  }

  push(bytes: Uint8Array): void {
    const room = this.sizes.head - this.head.length
    if (room > 0) this.head.push(bytes.subarray(0, room))
    if (bytes.length > room) this.omitted += this.tail.push(bytes.subarray(room))
  }

  /** Hands over what is held to another buffer. */
  moveTo(other: HeadTailBuffer): void {
    other.push(this.head.toBytes())
    other.push(this.tail.toBytes())
    this.clear()
  }

  /** Everything since the last time. With `last`, nothing follows that could complete a character. */
  take(last: boolean): Taken {
    const [head, tail, omitted] = [this.head.toBytes(), this.tail.toBytes(), this.omitted]
    this.clear()
    const bytes = omitted > 0 ? tail : concat(tail.length === 0 ? [head] : [head, tail])
    const unfinished = last ? 0 : Utf8.unfinished(bytes)
    if (unfinished > 0) this.push(bytes.subarray(bytes.length - unfinished))
    const whole = bytes.subarray(0, bytes.length - unfinished)
    const total = head.length + tail.length + omitted - unfinished
    if (omitted === 0) return { head: text(whole), tail: "", omitted, total }
    const first = head.subarray(0, head.length - Utf8.unfinished(head))
    const rest = whole.subarray(Utf8.continued(whole))
    return { head: text(first), tail: text(rest), omitted: total - first.length - rest.length, total }
  }

  private clear(): void {
    this.head.clear()
    this.tail.clear()
    this.omitted = 0
  }
}

/** Bytes that are no UTF-8 become U+FFFD. */
const text = (bytes: Uint8Array) => utf8Decoder().decode(bytes)
