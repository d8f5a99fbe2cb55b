/**
 * The `trace` member of a request: a W3C trace context, `{traceparent, tracestate}`.
 *
 * An invalid context is ignored, as the standard demands: it never fails the request. `tracestate` is for programs that
 * forward requests, so it is neither read nor written here.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import type { TraceContext } from "./Message.ts"

/** The span of the caller. */
export interface Parent {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** False if the caller does not record the trace. */
  readonly sampled: boolean
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** The span that a `trace` member names; undefined if it is absent or invalid. */
export const toParent = (trace: TraceContext | undefined): Parent | undefined => {
  const found = traceparent.exec(trace?.traceparent ?? "")
  if (found === null) return undefined
  const [, version, traceId = "", spanId = "", flags = "", more] = found
  const known = version === "00" ? more === undefined : version !== "ff"
  if (!known || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The `trace` member that names a span. */
export const fromSpan = ({ traceId, spanId, sampled }: Parent): TraceContext => ({
  traceparent: `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`,
})

/** The current span as a `trace` member; undefined outside of any span. */
export const ofCaller: Effect.Effect<TraceContext | undefined> = Effect.map(
  Effect.context<never>(),
  ({ mapUnsafe }) => {
    const span = mapUnsafe.get(Tracer.ParentSpan.key) as Tracer.AnySpan | undefined
    return span === undefined ? undefined : fromSpan(span)
  },
)

/** True if there is a tracer in the context that records spans. */
export const isRecorded: Effect.Effect<boolean> = Effect.map(
  Effect.tracer,
  (tracer) => tracer !== Context.get(Context.empty(), Tracer.Tracer),
)
