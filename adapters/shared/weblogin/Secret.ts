/** Secrets that a server makes and knows again. What it keeps is their digest: whoever reads its memory has no key. */
import { createHash, randomBytes } from "node:crypto"

/** A new one: 256 random bits, in letters that stand for themselves in URLs and cookies. */
export const make = (): string => randomBytes(32).toString("base64url")

/** The key of a secret in a table. Looking it up takes a time that tells nothing of the secrets in there. */
export const digest = (secret: string): string => createHash("sha256").update(secret).digest("base64url")
