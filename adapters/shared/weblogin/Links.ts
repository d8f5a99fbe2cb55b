/** One-time links: each has a secret that lets one browser in, once, and not for ever. */
import { createHash, randomBytes } from "node:crypto"
import type { SessionScope } from "../../../core/protocol/SessionScope.ts"

/** A new secret: 256 random bits, in letters that stand for themselves in URLs and cookies. */
export const makeSecret = (): string => randomBytes(32).toString("base64url")

/**
 * The key of a secret in a table: whoever reads the memory of the server has no secret. Looking it up takes a time that
 * tells nothing of the secrets in there.
 */
export const digest = (secret: string): string => createHash("sha256").update(secret).digest("base64url")

/** The time that a link may wait for its visitor: ten minutes, in milliseconds. */
export const validMillis = 600_000

/** Links that may wait at once; a further one takes the place of the oldest. */
const most = 64

export interface Links {
  /** The secret of a new link, whose visitor may do so much with the sessions of others. */
  readonly issue: (scope: SessionScope) => string
  /** Uses a link up: what its visitor may do. Undefined if there is no such link, or none any more. */
  readonly redeem: (secret: string) => SessionScope | undefined
}

/** No links yet; `now` is the time in milliseconds. */
export const make = (now: () => number): Links => {
  const waiting = new Map<string, { readonly scope: SessionScope; readonly until: number }>()
  return {
    issue: (scope) => {
      const secret = makeSecret()
      waiting.set(digest(secret), { scope, until: now() + validMillis })
      for (const [oldest] of waiting) {
        if (waiting.size <= most) break
        waiting.delete(oldest)
      }
      return secret
    },
    redeem: (secret) => {
      const id = digest(secret)
      const link = waiting.get(id)
      waiting.delete(id)
      return link === undefined || now() >= link.until ? undefined : link.scope
    },
  }
}
