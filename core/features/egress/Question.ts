/**
 * The question of the server about a connection that no rule decides, `network/policyRequest`, and what it tells of
 * decisions, `network/policyDecision`. They are beside the wire of the feature: few servers and clients load them.
 */
import { U53 } from "../../protocol/Integers.ts"
import * as Shape from "../../protocol/shape/index.ts"
import { EgressProtocol } from "./wire.ts"

/** The time for an answer, in milliseconds, where the start names none. */
export const answerMillis = 30_000

/** A connection that a process wants, and that no rule decides. */
export const PolicyTarget = Shape.struct("NetworkPolicyTarget", {
  /** The way in which the process has asked. */
  protocol: EgressProtocol,
  /** A name in lower case, or an address without brackets. */
  host: Shape.string,
  port: U53,
})

/** The server asks the client whether a process may open a connection. */
export const PolicyParams = Shape.struct("NetworkPolicyRequestParams", {
  processId: Shape.string,
  /** The connection. */
  request: PolicyTarget,
})

/** A reason, in one line of at most 200 characters: others are cut. */
const reason = Shape.nullable(Shape.string)

/** The decision of a client. `ask` is none: it denies the connections that wait, and no later ones. */
export const PolicyAnswer = Shape.tagged(
  "NetworkPolicyAnswer",
  Shape.variant("NetworkPolicyAnswer::Allow", { type: Shape.words("allow") }),
  Shape.variant("NetworkPolicyAnswer::Deny", { type: Shape.words("deny"), reason }),
  Shape.variant("NetworkPolicyAnswer::Ask", { type: Shape.words("ask"), reason }),
)
/** The decision of a client. */
export type PolicyAnswer = typeof PolicyAnswer.Encoded

/** The answer to `network/policyRequest`. */
export const PolicyResult = Shape.struct("NetworkPolicyRequestResponse", { decision: PolicyAnswer })

/** The decision about one connection, for a start with `networkProxy` or one that answers questions. */
export const DecisionParams = Shape.struct("NetworkPolicyDecisionNotification", {
  processId: Shape.string,
  /** The time of the decision, as in RFC 3339. */
  timestamp: Shape.string,
  /** Always `domain`. */
  scope: Shape.string,
  /** `allow`, `deny` or `ask`. */
  decision: Shape.string,
  /** `decider` for the answer of a client, `baseline_policy` for a rule. */
  source: Shape.string,
  /** The reason of the client, or the one in `process/egress`. */
  reason: Shape.string,
  /** The way in which the process has asked. */
  protocol: Shape.string,
  host: Shape.string,
  port: U53,
  /** The method of HTTP. */
  method: Shape.nullable(Shape.string),
  /** The address that the connection has come from. procwire tells none. */
  client: Shape.nullable(Shape.string),
  /** True if a client has allowed what no rule allows. */
  policyOverride: Shape.boolean,
})
