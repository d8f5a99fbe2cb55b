import { describe, expect, it } from "vitest"
import * as Trace from "./Trace.ts"

const traceId = "0af7651916cd43dd8448eb211c80319c"
const spanId = "b7ad6b7169203331"
const traceparent = `00-${traceId}-${spanId}-01`

describe("Trace", () => {
  it.each([
    [
      { traceparent, tracestate: "a=b" },
      { traceId, spanId, sampled: true },
    ],
    [{ traceparent: `00-${traceId}-${spanId}-02` }, { traceId, spanId, sampled: false }],
    [{ traceparent: `cc-${traceId}-${spanId}-01-more` }, { traceId, spanId, sampled: true }],
    [{ traceparent: `${traceparent}-more` }, undefined],
    [{ traceparent: `ff-${traceId}-${spanId}-01` }, undefined],
    [{ traceparent: `00-${"0".repeat(32)}-${spanId}-01` }, undefined],
    [{ traceparent: `00-${traceId}-${"0".repeat(16)}-01` }, undefined],
    [{ traceparent: traceparent.toUpperCase() }, undefined],
    [{ traceparent: null }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("reads %j", (trace, parent) => expect(Trace.toParent(trace)).toEqual(parent))

  it("writes what it reads", () => {
    for (const sampled of [true, false]) {
      const parent = { traceId, spanId, sampled }
      expect(Trace.toParent(Trace.fromSpan(parent))).toEqual(parent)
    }
  })
})
