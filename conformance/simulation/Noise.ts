/** Endless content that follows from a name, of which any part can be made and compared: bytes, or UTF-8 text. */
import { concat, utf8, utf8Decoder } from "../../core/protocol/Bytes.ts"
import { hash } from "./Seed.ts"

/** Everything begins somewhere in here. The length is prime, so that no offset repeats soon. */
const anyBytes = (() => {
  const bytes = new Uint8Array(1_048_573)
  let state = 0x2545f491
  for (let i = 0; i < bytes.length; i++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + i
    bytes[i] = state >>> 24
  }
  return bytes
})()

/** Characters of one to four bytes. */
const alphabet = [..."abcdefghijklmnopqrstuvwxyz \n é ä € 語 😀 🙂"].map((character) =>
  utf8.encode(character),
)

/** Text from the same numbers. Whole characters, wherever it is joined to itself. */
const anyText = concat(
  Array.from(
    { length: 30_011 },
    (_, at) => alphabet[(anyBytes[at] ?? 0) % alphabet.length] ?? new Uint8Array(0),
  ),
)

export class Noise {
  private readonly table: Uint8Array
  private readonly begin: number
  /** Bytes that stand in its place, at offsets of their own. */
  private readonly patches: Array<{ readonly offset: number; readonly bytes: Uint8Array }> = []

  /** Text begins with a whole character. */
  constructor(name: string, kind: "bytes" | "text" = "bytes") {
    this.table = kind === "bytes" ? anyBytes : anyText
    let begin = (hash(name, 0) >>> 0) % this.table.length
    while (kind === "text" && (this.table[begin]! & 0xc0) === 0x80) begin -= 1
    this.begin = begin
  }

  /** Puts something else in its place, from an offset on. */
  patch(offset: number, bytes: Uint8Array): void {
    this.patches.push({ offset, bytes })
  }

  /** So many bytes from an offset on. */
  bytes(offset: number, length: number): Uint8Array {
    const { table } = this
    const bytes = new Uint8Array(length)
    let from = (this.begin + offset) % table.length
    for (let at = 0; at < length; from = 0) {
      const part = table.subarray(from, from + length - at)
      bytes.set(part, at)
      at += part.length
    }
    for (const patch of this.patches) {
      const first = Math.max(offset, patch.offset)
      const last = Math.min(offset + length, patch.offset + patch.bytes.length)
      if (first < last)
        bytes.set(patch.bytes.subarray(first - patch.offset, last - patch.offset), first - offset)
    }
    return bytes
  }

  /** True if these are the bytes from an offset on. */
  equals(offset: number, bytes: Uint8Array): boolean {
    const { table } = this
    if (this.patches.length > 0) {
      const expected = this.bytes(offset, bytes.length)
      return bytes.every((byte, index) => byte === expected[index])
    }
    let at = (this.begin + offset) % table.length
    for (let i = 0; i < bytes.length; at = 0) {
      // Up to the end of the table nothing wraps around.
      const end = Math.min(bytes.length, i + table.length - at)
      for (; i < end; i++, at++) if (bytes[i] !== table[at]) return false
    }
    return true
  }
}

/** Characters of the text of a name behind an offset. */
export const excerpt = (name: string, offset: number): ReadonlyArray<string> =>
  [...utf8Decoder().decode(new Noise(name, "text").bytes(offset, 40))].slice(4)

/** Bytes as characters of the same numbers. */
export const latin1 = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, at + 4096))
  return text
}
