/** Content that programs hand over: text or bytes. Those in JavaScript have no compiler that refuses anything else. */
import * as Effect from "effect/Effect"
import { utf8 } from "../protocol/Bytes.ts"
import type { ClientError } from "./ClientError.ts"
import { invalid, shown } from "./OptionNames.ts"

/** A string is sent as UTF-8. */
export type Content = string | Uint8Array

/** Why that is no content, where `what` is who takes it; undefined if it is. */
export const refusal = (what: string, content: unknown): ClientError | undefined =>
  typeof content === "string" || isBytes(content)
    ? undefined
    : invalid(`${what} takes a string or a Uint8Array, not ${shown(content)}`)

export const toBytes = (content: Content): Uint8Array =>
  typeof content === "string" ? utf8.encode(content) : content

/** Runs an effect with the content as bytes; fails with `InvalidOption` where it is none. */
export const use = <A, E>(
  what: string,
  content: Content,
  take: (bytes: Uint8Array) => Effect.Effect<A, E>,
): Effect.Effect<A, E | ClientError> =>
  Effect.suspend((): Effect.Effect<A, E | ClientError> => {
    const refused = refusal(what, content)
    return refused === undefined ? take(toBytes(content)) : Effect.fail(refused)
  })

/** Also bytes of another realm, as programs have them under a test runner. */
const isBytes = (content: unknown): boolean =>
  ArrayBuffer.isView(content) && "BYTES_PER_ELEMENT" in content && content.BYTES_PER_ELEMENT === 1

/** The most bytes of one write on the wire: 256 KiB. */
export const maxWriteBytes = 256 * 1024

/** Cuts what is written to a process into pieces that fit one request. */
export const pieces = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  if (bytes.length <= maxWriteBytes) return [bytes]
  const count = Math.ceil(bytes.length / maxWriteBytes)
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * maxWriteBytes, (i + 1) * maxWriteBytes))
}
