/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.1",
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
      startFields: { egress: ["allow:packages.example.org:443"] },
      readFields: { blocked: [blocked] },
      closedFields: { egress: { allowed: 2, denied: 1 } },
      "process/egress": { params: [{ processId: "p1", ...blocked }] },
    }
  },
}
