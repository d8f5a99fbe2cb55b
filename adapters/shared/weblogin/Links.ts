/** One-time links: each has a secret that lets one browser in, once, and not for ever. */
import type { SessionScope } from "../../../core/protocol/SessionScope.ts"
import * as Secret from "./Secret.ts"

/** The time that a link may wait for its visitor: ten minutes, in milliseconds. */
export const validMillis = 600_000

/** Links that may wait at once; a further one takes the place of the oldest. */
const most = 64

/** The links of a server. */
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
      const secret = Secret.make()
      waiting.set(Secret.digest(secret), { scope, until: now() + validMillis })
      for (const [oldest] of waiting) {
        if (waiting.size <= most) break
        waiting.delete(oldest)
      }
      return secret
    },
    redeem: (secret) => {
      const digest = Secret.digest(secret)
      const link = waiting.get(digest)
      waiting.delete(digest)
      return link === undefined || now() >= link.until ? undefined : link.scope
    },
  }
}
