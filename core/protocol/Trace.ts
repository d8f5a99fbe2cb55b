/**
 * The `trace` member of a request: a W3C trace context, `{traceparent, tracestate}`.
 *
 * A context that is no good is none, as the standard wants it: it never harms the request. `tracestate` belongs to
 * whoever passes requests on to others, which nobody here does.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import type { Json } from "./Json.ts"
import type { TraceContext } from "./Message.ts"

/** A span of somebody else. */
export interface Parent {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

export const toParent = (trace: Json | undefined): Parent | undefined => {
  if (typeof trace !== "object" || trace === null || !("traceparent" in trace)) return undefined
  const text: unknown = trace.traceparent
  const found = typeof text === "string" ? traceparent.exec(text) : null
  if (found === null) return undefined
  const [, version, traceId = "", spanId = "", flags = "", more] = found
  const known = version === "00" ? more === undefined : version !== "ff"
  if (!known || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const fromSpan = ({ traceId, spanId, sampled }: Parent): TraceContext => ({
  traceparent: `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`,
})

/** The span in which a call is made, for the other side; undefined outside of any. */
export const ofCaller: Effect.Effect<TraceContext | undefined> = Effect.contextWith(
  ({ unsafeMap }: Context.Context<never>) => {
    const span = unsafeMap.get(Tracer.ParentSpan.key) as Tracer.AnySpan | undefined
    return span === undefined ? undefined : fromSpan(span)
  },
)
