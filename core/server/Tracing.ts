/**
 * Spans of requests and processes, where there is a tracer in the context.
 *
 * The parent of a request is the trace context in its envelope; the parent of a process is the request that started it.
 * Attributes are ids, the name of the program, sizes and the exit code, never payload.
 */
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"
import type { Process } from "../process/Process.ts"
import { isObject, type Json } from "../protocol/Json.ts"
import type * as Message from "../protocol/Message.ts"
import { isRequest } from "../protocol/dialect/Dialects.ts"
import * as Trace from "../protocol/Trace.ts"

/** The spans of a server. */
export interface Tracing {
  /** Wraps the answer to a request in a span, in which it is made. `sessionId` is read at its end. */
  readonly request: <A, E>(
    request: Message.Request,
    sessionId: () => string | undefined,
    answer: () => Effect.Effect<A, E>,
  ) => Effect.Effect<A, E>
  /** Wraps a start in a span that ends when the process is closed, or when the start fails. */
  readonly process: <E>(
    sessionId: string,
    processId: string,
    program: string,
    start: Effect.Effect<Process, E>,
  ) => Effect.Effect<Process, E>
}

const spans: Tracing = {
  request: ({ method, params, trace }, sessionId, make) => {
    const answer = Effect.suspend(make)
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
    const options = {
      kind: "server",
      attributes,
      ...(parent === undefined ? { root: true } : { parent: Tracer.externalSpan(parent) }),
    } as const
    const name = isRequest(method) ? method : "unknown method"
    return Effect.ensuring(answer, named).pipe(Effect.withSpan(name, options, { captureStackTrace: false }))
  },
  process: (sessionId, processId, program, start) =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const span = yield* Effect.makeSpan("process", {
        attributes: { "session.id": sessionId, "process.id": processId, "process.executable.name": program },
      })
      const end = (exit: Exit.Exit<unknown, unknown>) => span.end(clock.currentTimeNanosUnsafe(), exit)
      const process = yield* Effect.onError(start, (cause) => Effect.sync(() => end(Exit.failCause(cause))))
      const endIfClosed = () => {
        if (process.closed === undefined) return
        unsubscribe()
        span.attribute("process.exit.code", process.exited?.exitCode)
        span.attribute("process.output.bytes", process.written)
        end(Exit.void)
      }
      const unsubscribe = process.subscribe(endIfClosed)
      endIfClosed()
      return process
    }),
}

/** Spans for the tracer in the context of this effect; undefined if there is none. */
export const make: Effect.Effect<Tracing | undefined> = Effect.map(Trace.isRecorded, (recorded) =>
  recorded ? spans : undefined,
)

/** The most UTF-16 units of an id that become an attribute. */
const longestId = 256

const processIdOf = (params: Json): string | undefined => {
  const id = isObject(params) ? params["processId"] : undefined
  return typeof id === "string" ? id.slice(0, longestId) : undefined
}
