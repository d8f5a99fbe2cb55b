/** Egress on the wire: `egress` of a start, `process/egress`, and the counts of a closed process. */
import * as Shape from "../../protocol/shape/index.ts"
import { U53, U64 } from "../../protocol/Integers.ts"
import * as Wire from "../Wire.ts"

/** The way in which the process has asked for a connection. */
export const EgressProtocol = Shape.namedWords("EgressProtocol", "http", "https_connect", "socks5_tcp")

/** The reason of a denial. */
export const EgressReason = Shape.namedWords(
  "EgressReason",
  "denied",
  "not_allowed",
  "not_allowed_local",
  "malformed",
  "host_mismatch",
)
/** The reason of a denial. */
export type EgressReason = typeof EgressReason.Type

/** A connection that a process was denied. */
export const Blocked = Shape.struct("ProcessEgress", {
  /** The place among the events of the process. */
  seq: U64,
  /** The way in which it has asked. */
  protocol: EgressProtocol,
  /** The name or the address that it has asked for. */
  host: Shape.string,
  /** The port; 0 if none could be read. */
  port: U53,
  /** The reason. */
  reason: EgressReason,
  /** The rule that denies it, if one does. */
  rule: Shape.nullOr(Shape.string),
  /** One sentence: the target, the rule, and the remedy. */
  message: Shape.string,
})
/** A connection that a process was denied. */
export type Blocked = typeof Blocked.Type

/**
 * A connection that a process was denied, for a start that asks to hear of them. Each target is told once for a reason,
 * and 256 of a process at most.
 */
export const EgressParams = Shape.struct("ProcessEgressNotification", {
  processId: Shape.string,
  ...Blocked.fields,
})

/** The connections that a process has asked for. */
export const EgressCounts = Shape.struct("EgressCounts", {
  /** Those that were allowed. */
  allowed: U53,
  /** Those that were denied. */
  denied: U53,
})

/** A connection that was denied, as an event of its process. */
export interface EgressBlocked extends Blocked {
  /** The kind of event. */
  readonly kind: "egress"
}

/** The wire of the feature. */
export const egress = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: rules for the hosts that processes reach, `egress` of `process/start`. */
    processEgress: Shape.boolean,
    /** Beyond the peer implementation: `hosts` of a secret of `process/start`. */
    processSecretHosts: Shape.boolean,
  },
  startFields: {
    /**
     * With the capability `processEgress`: rules that hold beside those of the server, such as `allow:x.org:443`.
     * Nothing is reached that one of both does not allow; by default those of the server alone hold.
     */
    egress: Shape.beyond(Shape.list(Shape.string)),
    /**
     * With the capability `processEgress`: whether the client answers `network/policyRequest` for this process, as an
     * `ask` in `egress` says, too. By default what an `ask` of the server names is denied.
     */
    egressAsk: Shape.beyond(Shape.boolean),
    /**
     * With the capability `processEgress`: whether `process/egress` is sent, which takes a seq; by default if the start
     * has `egress` or `egressAsk`. A client that does not know it would wait for the missing seq.
     */
    egressEvents: Shape.beyond(Shape.boolean),
  },
  readFields: {
    /** Between the chunks, for a process with rules. Those that `process/egress` does not tell take no seqs of their own. */
    blocked: Shape.optional(Shape.list(Blocked)),
  },
  closedFields: {
    /** For a process with rules. */
    egress: Shape.optional(EgressCounts),
  },
  events: {
    egress: Wire.event({
      method: "process/egress",
      params: EgressParams,
      says: "a connection that the rules have denied to a process (capability processEgress)",
      readField: "blocked",
      toParams: (processId, { seq, protocol, host, port, reason, rule, message }: EgressBlocked) => ({
        processId,
        seq,
        protocol,
        host,
        port,
        reason,
        rule,
        message,
      }),
    }),
  },
})
