// @ts-check
// Servers that ask, and that heed no answer.
import { fault } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */

/** @type {readonly WireFault[]} */
export const broken = [
  fault`egress-denials-allow: Every answer to a question about a connection allows it.
    process/egress/ask/client-denies process/egress/ask/answer-holds`.by(() => ({
    asked: (m) =>
      m.result?.decision === undefined ? undefined : { ...m, result: { decision: { type: "allow" } } },
  })),
  fault`egress-decisions-untold: The decisions about connections are told to nobody.
    process/egress/ask/client-denies`.by(() => ({
    told: (m) => (m.method === "network/policyDecision" ? [] : undefined),
  })),
  fault`egress-asks-unasked: Every client is asked about connections.
    process/egress/ask/nobody-asked-for-it`.params("process/start", (asked) =>
    String(asked.argv).includes("HTTP_PROXY") ? { ...asked, egressAsk: true } : asked,
  ),
]
