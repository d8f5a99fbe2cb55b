/**
 * JSON Web Tokens as a client may present them: signed correctly, wrongly or not at all.
 */
import { createHmac } from "node:crypto"
import type { Json } from "../Json.ts"

export interface Header {
  readonly alg: string
  readonly typ?: string
}

const hashes: { readonly [alg: string]: string } = { HS256: "sha256", HS384: "sha384", HS512: "sha512" }

const part = (value: Json | Header): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A token with these claims; one of the algorithm `none` has no signature. */
export const sign = (secret: string, claims: Json, header: Header = { alg: "HS256", typ: "JWT" }): string => {
  const body = `${part(header)}.${part(claims)}`
  const hash = hashes[header.alg]
  return `${body}.${hash === undefined ? "" : createHmac(hash, secret).update(body).digest("base64url")}`
}

/** The time in seconds, as claims count it, `offset` seconds from now. */
export const at = (offset: number): number => Math.floor(Date.now() / 1000) + offset
