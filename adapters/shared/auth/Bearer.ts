/**
 * Who may connect: a rule over the `Authorization` header of a request. Refusals have the texts of the peer
 * implementation, and a stranger learns nothing else.
 */
import { createHash, timingSafeEqual } from "node:crypto"

/** Takes the header and answers with the text of the refusal, or undefined to admit. */
export type Rule = (authorization: string | undefined) => Promise<string | undefined>

/** A rule from `judge`, which gets the token of the scheme `Bearer` without the blanks around it. */
export const make =
  (judge: (token: string) => Promise<string | undefined>): Rule =>
  async (authorization) => {
    if (authorization === undefined) return "missing websocket bearer token"
    const token = tokenOf(authorization)
    return token === undefined ? "invalid authorization header" : judge(token)
  }

/** Admits whoever has the token with this SHA-256; the comparison takes constant time. */
export const fromDigest = (digest: Buffer): Rule =>
  make(async (token) =>
    timingSafeEqual(sha256(token), digest) ? undefined : "invalid websocket bearer token",
  )

/** The digest of a text in UTF-8: 32 bytes. */
export const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()

const tokenOf = (header: string): string | undefined => {
  if (!/^[\t\x20-\x7e]*$/.test(header)) return undefined
  const blank = header.indexOf(" ")
  if (blank < 0 || header.slice(0, blank).toLowerCase() !== "bearer") return undefined
  return header.slice(blank).trim() || undefined
}
