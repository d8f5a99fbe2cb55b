/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.0",
  adds: { "1.0": { httpHeaderEnvVars: ["HttpHeader.valueEnvVar"] } },
  examples: () => ({
    "http/request": {
      params: [
        {
          method: "POST",
          url: "https://example.com/",
          headers: [{ name: "authorization", value: "Bearer ", valueEnvVar: "TOKEN" }],
          bodyBase64: "aGVsbG8K",
          timeoutMs: 10_000,
          redirectPolicy: "follow",
          requestId: "r1",
          streamResponse: true,
        },
      ],
      result: [{ status: 200, headers: [{ name: "content-type", value: "text/plain" }], bodyBase64: "" }],
    },
    "http/request/bodyDelta": {
      params: [{ requestId: "r1", seq: 1, deltaBase64: "aGVsbG8K", done: false, error: null }],
    },
  }),
}
