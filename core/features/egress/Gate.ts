/** The gate of one process: policies, a client that may be asked, and those who are told. */
import type { Attempt, Decision, Gate } from "../../spawn/Egress.ts"
import * as Rules from "./Rules.ts"

/** What a gate needs beside its policies. */
export interface Hooks {
  /** Asks a client about an attempt that no rule names; undefined if there is nobody. It never rejects. */
  readonly ask?: ((attempt: Attempt) => Promise<boolean>) | undefined
  /** Hears of each attempt that is judged. */
  readonly told: Gate["told"]
}

/** The text of the rule that allows what a client has allowed. */
export const askedRule = "ask"

/** A gate to which all of these policies say yes. */
export const make = (policies: ReadonlyArray<Rules.Policy>, { ask, told }: Hooks): Gate => ({
  decide: async (attempt): Promise<Decision> => {
    const judged = Rules.judge(policies, attempt)
    if (judged !== "ask") return judged
    return (await ask?.(attempt)) === true
      ? { allowed: true, rule: askedRule }
      : Rules.denied(attempt, { reason: "not_allowed", of: "the server, and nobody has allowed it" })
  },
  mayDial: (attempt, address, decision) => Rules.judgeAddress(policies, attempt, address, decision),
  told,
})
