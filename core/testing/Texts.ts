/** Texts for properties: their characters have every length that there is in UTF-8, and none is half of one. */
import * as fc from "fast-check"

/**
 * Any text but for U+FEFF and U+FFFD, which decoders drop and put. `fc.string({ unit: "binary" })` would first make a
 * table of all Unicode, which takes two seconds in each process.
 */
export const anyText = (bounds: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  fc.string({ ...bounds, unit: character })

const between = (min: number, max: number) => fc.integer({ min, max })

const character = fc
  .oneof(
    between(0, 0x7f),
    between(0x80, 0x7ff),
    between(0x800, 0xd7ff),
    between(0xe000, 0xfdff),
    between(0x10000, 0x10ffff),
  )
  .map((point) => String.fromCodePoint(point))
