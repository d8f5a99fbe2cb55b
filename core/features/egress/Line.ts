/**
 * The client that has the session of a process: it is asked about connections, and hears of decisions
 * (`network/policyDecision`), in turn with the output of processes. A client that does not keep up misses some.
 */
import { notificationText } from "../../protocol/Message.ts"
import type { Attempt, Decision } from "../../spawn/Egress.ts"
import type { Connection, Source } from "../Feature.ts"
import { type Answer, Questions } from "./Asking.ts"

/** The most decisions that wait for their turn. */
export const mostWaiting = 256

export interface Line {
  readonly questions: Questions
  /** Tells a decision, with the answer that it follows from, if it does. `now` is in milliseconds since 1970. */
  readonly tell: (
    processId: string,
    now: number,
    attempt: Attempt,
    decision: Decision,
    answer: Answer | undefined,
  ) => void
  /** The connection has left the session: denies what is open, and tells nothing more. */
  readonly close: () => void
}

export const make = ({ call, fork, sender }: Pick<Connection, "call" | "fork" | "sender">): Line => {
  const questions = new Questions({ call, fork })
  const waiting: Array<string> = []
  let closed = false
  const next: Source = () => {
    const first = waiting.shift()
    if (first !== undefined) sender.write(first)
    return waiting.length > 0
  }
  return {
    questions,
    tell: (processId, now, attempt, decision, answer) => {
      if (closed || waiting.length >= mostWaiting) return
      const params = { processId, ...wordsOf(now, attempt, decision, answer) }
      waiting.push(notificationText("network/policyDecision", params))
      sender.enqueue(next)
    },
    close: () => {
      closed = true
      waiting.length = 0
      questions.close()
    },
  }
}

/** The words of the peer. */
const wordsOf = (
  now: number,
  { protocol, host, port, method }: Attempt,
  decision: Decision,
  answer: Answer | undefined,
) => ({
  timestamp: new Date(now).toISOString(),
  scope: "domain",
  decision: answer?.decision ?? (decision.allowed ? "allow" : "deny"),
  source: answer === undefined ? "baseline_policy" : "decider",
  reason: answer?.reason ?? (decision.allowed ? "allow" : decision.reason),
  protocol,
  host,
  port,
  ...(protocol === "https_connect" ? { method: "CONNECT" } : method === undefined ? {} : { method }),
  policyOverride: answer?.allowed === true,
})
