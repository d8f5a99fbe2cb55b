/** Who a visitor is, by what was typed into the form or was in the link. */
import type { Credential } from "../../../core/transport/Transport.ts"
import type * as Bearer from "../auth/Bearer.ts"
import type { Links } from "./Links.ts"
import type { Visitor } from "./Visitors.ts"
import type { WrongTokens } from "./WrongTokens.ts"

/** What lets in. */
export interface Keys {
  /** Which tokens; undefined if none does. */
  readonly rule: Bearer.Rule | undefined
  readonly links: Links
  readonly wrong: WrongTokens
}

/** A visitor, or after how many milliseconds the address may try again: 0 where it may at once. */
export type Identity =
  | { readonly visitor: Visitor }
  | { readonly visitor?: undefined; readonly waitMillis: number }

/** Finds out. A link is used up; a token that lets nobody in counts against the address that has sent it. */
export const of = async ({ links, rule, wrong }: Keys, token: string, address: string): Promise<Identity> => {
  const scope = links.redeem(token)
  if (scope !== undefined) {
    const credential: Credential = { kind: "link", ...(scope === "own" ? {} : { scope }) }
    return { visitor: { current: async () => credential } }
  }
  const waitMillis = wrong.take(address)
  if (waitMillis > 0) return { waitMillis }
  const judge = async () => rule?.(`Bearer ${token}`)
  const verdict = await judge()
  if (verdict === undefined || verdict.refusal !== undefined) return { waitMillis: 0 }
  wrong.giveBack(address)
  const current = async () => {
    const now = await judge()
    return now?.refusal === undefined ? now?.credential : undefined
  }
  return { visitor: { current, until: verdict.until } }
}
