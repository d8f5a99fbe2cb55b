/**
 * Cuts the output of a reply to its token budget: the middle is replaced by a note of how much is missing.
 *
 * A token counts as four bytes. Cuts are moved outwards to the next character border, so the rest never exceeds the
 * budget.
 */
import { utf8, utf8Decoder } from "../protocol/Bytes.ts"
import type { Taken } from "./HeadTailBuffer.ts"
import * as Utf8 from "./Utf8.ts"

export type { Taken } from "./HeadTailBuffer.ts"

const bytesPerToken = 4

/** A bound on the output of every reply, besides the token budget of the call. */
export type Cap = { readonly bytes: number } | { readonly tokens: number }

/** An estimate of how many tokens so many bytes are. */
export const tokensOf = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

/** The output for a call with a budget of `maxTokens`. */
export const shown = ({ head, tail, omitted, total }: Taken, maxTokens: number, cap?: Cap): string => {
  const gap = `... ${omitted} bytes omitted ...`
  const text = omitted > 0 ? `${head}\n${gap}\n${tail}` : head
  const bytes = utf8.encode(text)
  const asked = maxTokens * bytesPerToken
  const capped = cap === undefined ? Infinity : "bytes" in cap ? cap.bytes : cap.tokens * bytesPerToken
  const budget = Math.min(asked, capped)
  if (bytes.length <= budget) return text
  const unit = cap !== undefined && "bytes" in cap && capped <= asked ? "chars" : "tokens"
  const about = omitted > 0 ? gap : `Total output lines: ${linesOf(text)}`
  const warning = `Warning: truncated output (original token count: ${tokensOf(omitted > 0 ? total : bytes.length)})`
  return `${warning}\n${about}\n\n${middleCut(bytes, budget, unit)}`
}

/** The first and the last half of the budget (in bytes), with a note of how much was cut between them. */
export const middleCut = (bytes: Uint8Array, budget: number, unit: "chars" | "tokens"): string => {
  let left = Math.floor(budget / 2)
  let right = bytes.length - Math.ceil(budget / 2)
  while (left > 0 && Utf8.isContinuation(bytes[left])) left -= 1
  while (Utf8.isContinuation(bytes[right])) right += 1
  const decode = (from: number, to: number) => utf8Decoder().decode(bytes.subarray(from, to))
  const removed =
    unit === "chars" ? charactersOf(bytes.subarray(left, right)) : tokensOf(bytes.length - budget)
  return `${decode(0, left)}…${removed} ${unit} truncated…${decode(right, bytes.length)}`
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
