/**
 * Admission of clients: a rule over the `Authorization` header of a request. Refusals have the texts of the peer
 * implementation, and a stranger learns nothing else.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { Credential } from "../../../core/transport/Transport.ts"

/** The verdict of a rule: the text of the refusal, or the credential that admits the client. */
export type Verdict =
  | { readonly refusal: string }
  | {
      readonly refusal?: undefined
      readonly credential: Credential
      /** When a token expires, in milliseconds since 1970; undefined for one that does not. */
      readonly until?: number | undefined
    }

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

/** A token that the server knows by its SHA-256. */
export interface Known extends Pick<Credential, "name" | "scope"> {
  /** 32 bytes. */
  readonly digest: Buffer
}

/** Admits the bearer of one of these tokens; all comparisons are made, and take constant time. */
export const fromDigests = (known: ReadonlyArray<Known>): Rule =>
  make(async (token) => {
    const shown = sha256(token)
    const [found] = known.filter(({ digest }) => timingSafeEqual(shown, digest))
    if (found === undefined) return { refusal: "invalid websocket bearer token" }
    const { name, scope } = found
    return {
      credential: { kind: "token", name, ...(scope === undefined || scope === "own" ? {} : { scope }) },
    }
  })

/** The digest of a text in UTF-8: 32 bytes. */
export const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()

const tokenOf = (header: string): string | undefined => {
  if (!/^[\t\x20-\x7e]*$/.test(header)) return undefined
  const blank = header.indexOf(" ")
  if (blank < 0 || header.slice(0, blank).toLowerCase() !== "bearer") return undefined
  return header.slice(blank).trim() || undefined
}
