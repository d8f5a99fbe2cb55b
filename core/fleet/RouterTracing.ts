/**
 * The spans of a router: one for each client that it leads to a host, below that of the client and above those of the
 * host, and one for each step of that. Without a tracer in the context it does nothing.
 */
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import * as Message from "../protocol/Message.ts"
import type { TraceContext } from "../protocol/Message.ts"
import * as Trace from "../protocol/Trace.ts"
import type { Greeting } from "./Greeting.ts"

export interface RouterTracing {
  /** Wraps what finds the host of a client, and has its text name the span. */
  readonly route: <A, E, R>(
    greeting: Greeting,
    found: Effect.Effect<A, E, R>,
  ) => Effect.Effect<readonly [found: A, text: string], E, R>
  /** Wraps the way to a host for a client of another router, below the span of that. */
  readonly hop: <A, E, R>(
    trace: TraceContext | undefined,
    hostId: string,
    dialled: Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E, R>
  /** Wraps a part of either. */
  readonly step: <A, E, R>(
    name: string,
    attributes: Readonly<Record<string, string>>,
    step: Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E, R>
}

const none: RouterTracing = {
  route: ({ text }, found) => Effect.map(found, (host) => [host, text]),
  hop: (_trace, _hostId, dialled) => dialled,
  step: (_name, _attributes, step) => step,
}

const some: RouterTracing = {
  route: (greeting, found) => {
    const { resumeSessionId, trace } = greeting
    const named = Effect.flatMap(found, (host) =>
      Effect.map(Trace.ofCaller, (own) => [host, below(greeting, own)] as const),
    )
    return served(trace, resumeSessionId === undefined ? "router start" : "router resume", {}, named)
  },
  hop: (trace, hostId, dialled) => served(trace, "router hop", { "host.id": hostId }, dialled),
  step: (name, attributes, step) =>
    Effect.withSpan(step, name, { kind: "client", attributes, captureStackTrace: false }),
}

/** A span below that of a peer, unless the peer records none. */
const served = <A, E, R>(
  trace: TraceContext | undefined,
  name: string,
  attributes: Readonly<Record<string, string>>,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => {
  const parent = Trace.toParent(trace)
  if (parent?.sampled === false) return Effect.withTracerEnabled(effect, false)
  return Effect.withSpan(effect, name, {
    kind: "server",
    attributes,
    captureStackTrace: false,
    ...(parent === undefined ? { root: true } : { parent: Tracer.externalSpan(parent) }),
  })
}

export const make: Effect.Effect<RouterTracing> = Effect.map(Trace.isRecorded, (recorded) =>
  recorded ? some : none,
)

/** The same request, below another span; `tracestate` goes with the trace, whoever adds a span. */
const below = ({ id, params, text, trace }: Greeting, own: TraceContext | undefined): string => {
  if (own === undefined) return text
  const { tracestate } = trace ?? {}
  const whole = tracestate == null ? own : { ...own, tracestate }
  return Message.requestText(id, "initialize", params, whole)
}
