/**
 * Spans of requests and of processes, where somebody has set a tracer; without one there is none of this at all.
 *
 * A request's parent is the context that its envelope carries, and a process's the request that started it. No
 * payload is an attribute: ids, the name of the program, sizes and the exit code are.
 */
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"
import type { Process } from "../process/Process.ts"
import type { Json } from "../protocol/Json.ts"
import * as Message from "../protocol/Message.ts"
import { isRequest } from "../protocol/dialect/Dialects.ts"
import * as Trace from "../protocol/Trace.ts"

export interface Tracing {
  /** The request as a span. `sessionId` is asked for when it is over. */
  readonly request: <A, E>(
    request: Message.Request,
    sessionId: () => string | undefined,
    answer: Effect.Effect<A, E>,
  ) => Effect.Effect<A, E>
  /** A start as a span that ends when the process is closed. */
  readonly process: <E>(
    sessionId: string,
    processId: string,
    program: string,
    start: Effect.Effect<Process, E>,
  ) => Effect.Effect<Process, E>
}

const none: Tracing = {
  request: (_request, _sessionId, answer) => answer,
  process: (_sessionId, _processId, _program, start) => start,
}

const some: Tracing = {
  request: ({ method, params, trace }, sessionId, answer) => {
    const parent = Trace.toParent(trace)
    if (parent?.sampled === false) return Effect.withTracerEnabled(answer, false)
    const attributes: Record<string, string> = { "rpc.system": "jsonrpc" }
    if (isRequest(method)) attributes["rpc.method"] = method
    const id = processIdOf(params)
    if (id !== undefined) attributes["process.id"] = id
    const named = Effect.suspend(() => {
      const session = sessionId()
      return session === undefined ? Effect.void : Effect.annotateCurrentSpan("session.id", session)
    })
    return Effect.withSpan(Effect.ensuring(answer, named), isRequest(method) ? method : "unknown method", {
      kind: "server",
      attributes,
      captureStackTrace: false,
      ...(parent === undefined ? { root: true } : { parent: Tracer.externalSpan(parent) }),
    })
  },
  process: (sessionId, processId, program, start) =>
    Effect.gen(function* () {
      const clock = yield* Effect.clock
      const span = yield* Effect.makeSpan("process", {
        attributes: { "session.id": sessionId, "process.id": processId, "process.executable.name": program },
        captureStackTrace: false,
      })
      const end = (exit: Exit.Exit<unknown, unknown>) => span.end(clock.unsafeCurrentTimeNanos(), exit)
      const process = yield* Effect.onError(start, (cause) => Effect.sync(() => end(Exit.failCause(cause))))
      const look = () => {
        if (process.closed === undefined) return
        unsubscribe()
        span.attribute("process.exit.code", process.exited?.exitCode)
        span.attribute("process.output.bytes", process.log.written())
        end(Exit.void)
      }
      const unsubscribe = process.subscribe(look)
      look()
      return process
    }),
}

/** Spans for the tracer that is set where this runs. */
export const make: Effect.Effect<Tracing> = Effect.map(Effect.tracer, (tracer) =>
  tracer === Context.get(DefaultServices.liveServices, Tracer.Tracer) ? none : some,
)

/** Longest id that is an attribute. */
const longestId = 256

const processIdOf = (params: Json): string | undefined => {
  const id = Message.isObject(params) ? params["processId"] : undefined
  return typeof id === "string" ? id.slice(0, longestId) : undefined
}
