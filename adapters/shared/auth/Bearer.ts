/**
 * Who may connect: a rule over the `Authorization` header of a request. Refusals have the texts of the peer
 * implementation, and a stranger learns nothing else.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { Credential } from "../../../core/transport/Transport.ts"

/** What a rule decides: the text of the refusal, or what the client was admitted by. */
export type Verdict =
  | { readonly refusal: string }
  | { readonly refusal?: undefined; readonly credential: Credential }

/** Takes the header and decides. */
export type Rule = (authorization: string | undefined) => Promise<Verdict>

/** A rule from `judge`, which gets the token of the scheme `Bearer` without the blanks around it. */
export const make =
  (judge: (token: string) => Promise<Verdict>): Rule =>
  async (authorization) => {
    if (authorization === undefined) return { refusal: "missing websocket bearer token" }
    const token = tokenOf(authorization)
    return token === undefined ? { refusal: "invalid authorization header" } : judge(token)
  }

/** Admits whoever has the token with this SHA-256; the comparison takes constant time. `name` is what it is called. */
export const fromDigest = (digest: Buffer, name?: string): Rule =>
  make(async (token) =>
    timingSafeEqual(sha256(token), digest)
      ? { credential: { kind: "token", name } }
      : { refusal: "invalid websocket bearer token" },
  )

/** The digest of a text in UTF-8: 32 bytes. */
export const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()

const tokenOf = (header: string): string | undefined => {
  if (!/^[\t\x20-\x7e]*$/.test(header)) return undefined
  const blank = header.indexOf(" ")
  if (blank < 0 || header.slice(0, blank).toLowerCase() !== "bearer") return undefined
  return header.slice(blank).trim() || undefined
}
