/**
 * The keys that leave an attached process, as in `ctrl-p,ctrl-q`: those that come before the last one are held back
 * until it is known whether it follows.
 */
import * as Keys from "./Keys.ts"

/** Looks for the keys in what is typed. */
export interface DetachKeys {
  /** What goes to the process, and whether the keys were found; nothing behind them is sent. */
  readonly take: (bytes: Uint8Array) => { readonly send: Uint8Array; readonly found: boolean }
}

/** The bytes of a list of keys, as characters or names; an empty list is none. Undefined if there is no such key. */
export const parse = (text: string): Uint8Array | undefined => {
  if (text === "") return new Uint8Array()
  const keys = text.split(",").map((key) => ([...key].length === 1 ? key : Keys.keyOf(key)))
  return keys.some((key) => key === undefined) ? undefined : new TextEncoder().encode(keys.join(""))
}

/** A search for the keys. */
export const make = (keys: Uint8Array): DetachKeys => {
  let held = 0
  return {
    take: (bytes) => {
      if (keys.length === 0) return { send: bytes, found: false }
      const send: Array<number> = []
      for (const byte of bytes) {
        // What was held back may begin with the end of itself, as in `a,a,b`.
        while (held > 0 && byte !== keys[held]) {
          const next = longestBorder(keys, held)
          send.push(...keys.subarray(0, held - next))
          held = next
        }
        if (byte !== keys[held]) send.push(byte)
        else if ((held += 1) === keys.length) {
          held = 0
          return { send: Uint8Array.from(send), found: true }
        }
      }
      return { send: Uint8Array.from(send), found: false }
    },
  }
}

/** The length of the longest begin of the first `length` keys that is also their end, and not all of them. */
const longestBorder = (keys: Uint8Array, length: number): number => {
  for (let border = length - 1; border > 0; border--)
    if (keys.subarray(0, border).every((byte, at) => byte === keys[length - border + at])) return border
  return 0
}
