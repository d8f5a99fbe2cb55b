/** The gate of one process: policies, a client that may be asked, and those who are told. */
import type { Attempt, Decision, Gate } from "../../spawn/Egress.ts"
import * as Rules from "./Rules.ts"

/** The answer of a client, or the reason that there is none. */
export type Answer =
  | { readonly allowed: true }
  | {
      readonly allowed: false
      /** The end of a sentence that begins with the client: `which has denied it`. */
      readonly why: string
    }

/** The parts of a gate beside its policies. */
export interface Hooks {
  /** Asks a client about an attempt that no rule names. It never rejects. */
  readonly ask?: ((attempt: Attempt) => Promise<Answer>) | undefined
  /** Hears of the decision that follows from an answer. */
  readonly answered?: ((decision: Decision, answer: Answer) => void) | undefined
  /** Hears of each attempt that is judged. */
  readonly told: Gate["told"]
}

/** The answer where no client has asked for questions. */
const nobody: Answer = { allowed: false, why: "and the client of this process answers no questions" }

/** A gate to which all of these policies say yes. */
export const make = (
  policies: ReadonlyArray<Rules.Policy>,
  { ask = () => Promise.resolve(nobody), answered, told }: Hooks,
): Gate => ({
  decide: async (attempt): Promise<Decision> => {
    const judged = Rules.judge(policies, attempt)
    if (!("ask" in judged)) return judged
    const answer = await ask(attempt)
    // The rules may have changed meanwhile.
    const now = Rules.judge(policies, attempt)
    if (!("ask" in now)) return now
    const { ask: rule, of } = now
    const decision: Decision = answer.allowed
      ? { allowed: true, rule }
      : Rules.denied(attempt, { reason: "not_allowed", of, asked: { rule, why: answer.why } })
    answered?.(decision, answer)
    return decision
  },
  mayDial: (attempt, address, decision) => Rules.judgeAddress(policies, attempt, address, decision),
  told,
})
