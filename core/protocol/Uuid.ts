/**
 * UUIDs as text, in the four forms that clients write: with hyphens, without, in braces, and as `urn:uuid:`.
 *
 * Faults of other texts have the words of the peer implementation.
 */
import { text } from "./shape/index.ts"

const hyphenated = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const simple = /^[0-9a-f]{32}$/i
/** The digits of each group. */
const groups = [8, 4, 4, 4, 12]

/** The text without its braces or prefix, and how many characters precede it. */
const unwrapped = (text: string): readonly [inner: string, before: number] => {
  if (/^\{.*\}$/s.test(text)) return [text.slice(1, -1), 1]
  return text.startsWith("urn:uuid:") ? [text.slice(9), 9] : [text, 0]
}

const fault = (text: string): string | undefined => {
  const [inner, before] = unwrapped(text)
  if (hyphenated.test(inner) || simple.test(text)) return undefined
  const odd = /[^0-9a-f-]/iu.exec(inner)
  if (odd !== null) {
    const at = encodedLength(inner.slice(0, odd.index)) + before + 1
    return `invalid character: expected an optional prefix of \`urn:uuid:\` followed by [0-9a-fA-F-], found \`${odd[0]}\` at ${at}`
  }
  const lengths = inner.split("-").map(({ length }) => length)
  if (lengths.length === 1 && before === 0)
    return `invalid length: expected length 32 for simple format, found ${text.length}`
  if (lengths.length !== groups.length) return `invalid group count: expected 5, found ${lengths.length}`
  const group = lengths.findIndex((length, index) => length !== groups[index])
  // The peer takes the characters around the whole for those of the last group.
  const found = (lengths[group] ?? 0) + (group === 4 ? text.length - inner.length : 0)
  return `invalid group length in group ${group}: expected ${groups[group]}, found ${found}`
}

const encodedLength = (text: string): number => encodeURIComponent(text).replace(/%../g, "x").length

/** The form with hyphens in lower case, of a text that is a UUID. */
export const hyphenatedOf = (text: string): string => {
  const digits = unwrapped(text)[0].replaceAll("-", "").toLowerCase()
  let from = 0
  return groups.map((length) => digits.slice(from, (from += length))).join("-")
}

/** A UUID in any of its forms. */
export const Uuid = text(fault, { pattern: "^(urn:uuid:)?[{]?[0-9A-Fa-f-]{32,36}[}]?$" }, true)
