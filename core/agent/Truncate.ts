/**
 * Cuts the output of a reply to its token budget: the middle is replaced by a note of how much is missing.
 *
 * A token counts as four bytes. Cuts are moved outwards to the next character border, so the rest never exceeds the
 * budget.
 */
import { utf8, utf8Decoder } from "../protocol/Bytes.ts"
import * as PlainText from "./PlainText.ts"
import * as Utf8 from "./Utf8.ts"

const bytesPerToken = 4

/** A bound on the output of every reply, besides the token budget of the call. */
export type Cap = { readonly bytes: number } | { readonly tokens: number }

/** An estimate of how many tokens so many bytes are. */
export const tokensOf = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

/** The bytes that a call with a budget of `maxTokens` may return. */
export const budgetOf = (maxTokens: number, cap?: Cap): number =>
  Math.min(maxTokens * bytesPerToken, bytesOf(cap))

const bytesOf = (cap: Cap | undefined): number =>
  cap === undefined ? Infinity : "bytes" in cap ? cap.bytes : cap.tokens * bytesPerToken

/** The output for a call with a budget of `maxTokens`. */
export const shown = (taken: PlainText.Taken, maxTokens: number, cap?: Cap): string =>
  cut(taken, maxTokens, cap).text

/**
 * The output for a call, and how many of its first and last bytes it has; without `missing` it has all. Bytes are those
 * of the raw output, whatever its form: no less is missing than the text lacks.
 */
export interface Cut {
  /** The text. */
  readonly text: string
  /** The missing part: from one byte of the output to another. */
  readonly missing?: { readonly from: number; readonly to: number }
}

/** The output for a call with a budget of `maxTokens`, and what it lacks. */
export const cut = (taken: PlainText.Taken, maxTokens: number, cap?: Cap): Cut => {
  const { head, tail, omitted, total, raw = taken } = taken
  const gap = `... ${omitted} bytes omitted ...`
  const text = omitted > 0 ? `${head}\n${gap}\n${tail}` : head
  const bytes = utf8.encode(text)
  const asked = maxTokens * bytesPerToken
  const capped = bytesOf(cap)
  const budget = Math.min(asked, capped)
  if (bytes.length <= budget && omitted === 0) return { text }
  const [all, end] = [rawLength(raw.head), total - rawLength(raw.tail)]
  if (bytes.length <= budget) return { text, missing: { from: all, to: end } }
  const unit = cap !== undefined && "bytes" in cap && capped <= asked ? "chars" : "tokens"
  const about = omitted > 0 ? gap : `Total output lines: ${linesOf(text)}`
  const warning = `Warning: truncated output (original token count: ${tokensOf(omitted > 0 ? total : bytes.length)})`
  const [left, right] = borders(bytes, budget)
  const from = rawLength(PlainText.rawBegin(raw.head, head, decode(bytes, 0, left).length))
  const rest = decode(bytes, right, bytes.length).length
  const [last, rawLast] = omitted === 0 ? [head, raw.head] : [tail, raw.tail]
  const to = total - rawLength(PlainText.rawEnd(rawLast, last, last.length - rest))
  return { text: `${warning}\n${about}\n\n${middleCut(bytes, budget, unit)}`, missing: { from, to } }
}

/** At least so many bytes became this text: a U\+FFFD may have been one byte or three. */
const rawLength = (text: string): number => {
  let length = utf8.encode(text).length
  for (let at = text.indexOf("\ufffd"); at !== -1; at = text.indexOf("\ufffd", at + 1)) length -= 2
  return length
}

const decode = (bytes: Uint8Array, from: number, to: number) => utf8Decoder().decode(bytes.subarray(from, to))

/** The end of the first half of the budget, and the begin of the last one. */
const borders = (bytes: Uint8Array, budget: number): readonly [number, number] => {
  let left = Math.floor(budget / 2)
  let right = bytes.length - Math.ceil(budget / 2)
  while (left > 0 && Utf8.isContinuation(bytes[left])) left -= 1
  while (Utf8.isContinuation(bytes[right])) right += 1
  return [left, right]
}

/** The first and the last half of the budget (in bytes), with a note of how much was cut between them. */
export const middleCut = (bytes: Uint8Array, budget: number, unit: "chars" | "tokens"): string => {
  const [left, right] = borders(bytes, budget)
  const removed =
    unit === "chars" ? charactersOf(bytes.subarray(left, right)) : tokensOf(bytes.length - budget)
  return `${decode(bytes, 0, left)}…${removed} ${unit} truncated…${decode(bytes, right, bytes.length)}`
}

const charactersOf = (bytes: Uint8Array): number => {
  let count = 0
  for (const byte of bytes) if (!Utf8.isContinuation(byte)) count += 1
  return count
}

const linesOf = (text: string): number => {
  let count = text === "" || text.endsWith("\n") ? 0 : 1
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1
  return count
}
