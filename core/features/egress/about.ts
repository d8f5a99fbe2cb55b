/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"
import { DecisionParams, PolicyParams, PolicyResult } from "./Question.ts"

export const about: About = {
  since: "1.1",
  serverNotifications: {
    "network/policyDecision": {
      params: DecisionParams,
      says: "the decision about a connection of a process that has asked to hear of it (capability processEgress)",
    },
  },
  serverRequests: {
    "network/policyRequest": {
      params: PolicyParams,
      result: PolicyResult,
      says: "asks whether a process may open a connection that no rule decides (capability processEgress)",
    },
  },
  examples: () => {
    const blocked = {
      seq: 4,
      protocol: "https_connect",
      host: "api.example.org",
      port: 443,
      reason: "not_allowed",
      rule: null,
      message: "api.example.org:443 is blocked: it is not in the allow list of the server",
    }
    return {
      startFields: {
        egress: ["allow:packages.example.org:443", "ask:*.example.org"],
        egressAsk: true,
        egressEvents: true,
      },
      readFields: { blocked: [blocked] },
      closedFields: { egress: { allowed: 2, denied: 1 } },
      "network/policyRequest": {
        params: [
          { processId: "p1", request: { protocol: "https_connect", host: "api.example.org", port: 443 } },
        ],
        result: [
          { decision: { type: "allow" } },
          { decision: { type: "deny", reason: "ask your operator" } },
        ],
      },
      "network/policyDecision": {
        params: [
          {
            processId: "p1",
            timestamp: "2026-01-31T12:00:00.000Z",
            scope: "domain",
            decision: "deny",
            source: "decider",
            reason: "ask your operator",
            protocol: "https_connect",
            host: "api.example.org",
            port: 443,
            method: "CONNECT",
            policyOverride: false,
          },
        ],
      },
      "process/egress": { params: [{ processId: "p1", ...blocked }] },
    }
  },
}
