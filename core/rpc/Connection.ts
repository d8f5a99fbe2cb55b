/**
 * One JSON-RPC connection over a transport: parse, correlate, dispatch, reply, close.
 *
 * Both ends use it. Requests begin in the order in which they arrive, each runs until it has to wait,
 * and none waits for another, up to `concurrentRequests` running slotted ones; answers leave as they
 * are ready. A malformed message is answered with id -1; a message that no peer may send (an answer to
 * nothing, a notification that the side refuses) ends the connection without a word.
 */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import type { Bounds, Json } from "../protocol/Json.ts"
import * as Message from "../protocol/Message.ts"
import * as Trace from "../protocol/Trace.ts"
import type { Outgoing, Transport } from "../transport/Transport.ts"
import type { RequestContext } from "./Router.ts"
import type { Side } from "./Side.ts"

export type { Side } from "./Side.ts"

/** The connection ended before the call was answered, or the peer broke the protocol. */
export class Disconnected extends Data.TaggedError("Disconnected")<{ readonly message: string }> {}

export interface Connection {
  /** Serves until the peer is gone or has broken the protocol, which is then said. Run it once. */
  readonly run: Effect.Effect<string>
  /** Sends a request and waits for its answer. */
  readonly call: (method: string, params: unknown) => Effect.Effect<Json, ErrorCode.RpcError | Disconnected>
  /** Queues a message; false while the peer does not keep up. */
  readonly write: (message: Outgoing) => boolean
  /** Called when the peer keeps up again. One listener. */
  readonly onDrain: (listener: () => void) => void
  /** Takes nothing more from the peer while held. */
  readonly hold: (held: boolean) => void
}

export interface Options {
  /** Most slotted requests that run at once; more of them wait their turn. */
  readonly concurrentRequests: number
  /** How deep and how much JSON a message may be. */
  readonly bounds?: Bounds
}

/** Bytes of answers that a peer which does not read may owe before nothing more is taken from it: 8 MiB. */
const maxOwed = 8 * 1024 * 1024

/** Slotted requests that may wait for a slot before nothing more is taken from the peer, and their size. */
const maxWaiting = 1024
const maxWaitingSize = 8 * 1024 * 1024

export const make = (
  transport: Transport,
  side: Side,
  options: Options,
): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const fibers = yield* FiberSet.make<unknown, unknown>()
    const violated = yield* Deferred.make<string>()
    const intake = yield* Effect.makeLatch(true)
    const calls = new Map<
      Message.RequestId,
      (answer: Exit.Exit<Json, ErrorCode.RpcError | Disconnected>) => void
    >()
    const waiting: Array<{ readonly request: Message.Request; readonly size: number }> = []
    /** Size of the texts of those, in UTF-16 units. */
    let waitingSize = 0
    let running = 0
    let owed = 0
    let lastId = 0
    let held = false
    let open = true
    let ended: Disconnected | undefined
    let drained = () => {}

    const regulate = () => {
      open = !held && owed <= maxOwed && waiting.length <= maxWaiting && waitingSize <= maxWaitingSize
      if (open) intake.unsafeOpen()
      else intake.unsafeClose()
    }
    transport.onDrain(() => {
      owed = 0
      admit()
      drained()
    })

    const reply = (text: string) => {
      if (transport.write(text)) return
      owed += text.length
      regulate()
    }

    const begin = (request: Message.Request) => {
      let hook: (() => void) | undefined
      const context: RequestContext = {
        afterReply: (next) => {
          hook = next
        },
      }
      const slotted = side.slotted(request.method)
      if (slotted) running += 1
      const settle = (exit: Exit.Exit<string, ErrorCode.RpcError>) => {
        if (Exit.isSuccess(exit)) reply(Message.responseText(request.id, exit.value))
        else if (!Cause.isInterruptedOnly(exit.cause)) reply(failureText(request.id, exit.cause))
        hook?.()
        if (!slotted) return
        running -= 1
        admit()
      }
      const answered = Effect.tapDefect(
        Effect.suspend(() => side.request(request, context)),
        logDefect,
      )
      const fiber = runFork(answered, { immediate: true })
      const done = fiber.unsafePoll()
      if (done !== null) return settle(done)
      FiberSet.unsafeAdd(fibers, fiber)
      fiber.addObserver(settle)
    }

    /** Begins requests that wait, as long as there are slots and the peer takes its answers. */
    const admit = () => {
      while (running < options.concurrentRequests && owed <= maxOwed) {
        const next = waiting.shift()
        if (next === undefined) break
        waitingSize -= next.size
        begin(next.request)
      }
      regulate()
    }

    const answer = (id: Message.RequestId, exit: Exit.Exit<Json, ErrorCode.RpcError>) => {
      const resume = calls.get(id)
      if (resume === undefined) return side.endsOnStrayAnswer === false || violate("an answer to no request")
      calls.delete(id)
      resume(exit)
      return true
    }

    const violate = (what: string) => {
      Deferred.unsafeDone(violated, Effect.succeed(`protocol violation: ${what}`))
      return false
    }

    /** False once the peer has broken the protocol: nothing behind that counts. */
    const receive = (text: string): boolean => {
      const parsed = Message.fromText(text, options.bounds)
      if (Either.isLeft(parsed)) {
        const fault = `failed to parse ${transport.label}: ${parsed.left}`
        if (side.endsOnMalformed === true) return violate(fault)
        reply(Message.errorText(Message.malformedId, ErrorCode.invalidRequest, fault))
        return true
      }
      const message = parsed.right
      switch (message.kind) {
        case "request":
          if (side.slotted(message.method)) {
            waiting.push({ request: message, size: text.length })
            waitingSize += text.length
            admit()
          } else begin(message)
          return true
        case "notification": {
          const taken = side.notification(message)
          if (typeof taken === "boolean")
            return taken || violate(`unexpected notification ${JSON.stringify(message.method)}`)
          reply(Message.errorText(Message.malformedId, taken.code, taken.message))
          return true
        }
        case "response":
          return answer(message.id, Exit.succeed(message.result))
        case "error":
          return answer(message.id, Exit.fail(new ErrorCode.RpcError(message)))
      }
    }

    const read: Effect.Effect<string> = Effect.gen(function* () {
      for (;;) {
        yield* intake.await
        const [batch, done] = yield* transport.incoming.takeAll
        for (const text of batch) {
          if (!open) yield* intake.await
          if (!receive(text)) return yield* Deferred.await(violated)
        }
        if (done) return "the peer closed the connection"
      }
    }).pipe(Effect.catchAll((error) => Effect.succeed(error.message)))

    const finish = (why: string) =>
      Effect.suspend(() => {
        ended = new Disconnected({ message: why })
        waiting.length = 0
        for (const resume of calls.values()) resume(Exit.fail(ended))
        calls.clear()
        return Effect.zipRight(FiberSet.clear(fibers), transport.close)
      })

    const call = (method: string, params: unknown) =>
      Effect.flatMap(Trace.ofCaller, (trace) => send(method, params, trace))

    const send = (method: string, params: unknown, trace: Message.TraceContext | undefined) =>
      Effect.async<Json, ErrorCode.RpcError | Disconnected>((resume) => {
        if (ended !== undefined) return resume(Effect.fail(ended))
        const id = (lastId += 1)
        calls.set(id, resume)
        transport.write(Message.requestText(id, method, params, trace))
        // An abandoned call keeps its id known, so that the late answer is no violation.
        return Effect.sync(() => calls.has(id) && calls.set(id, () => {}))
      })

    return {
      run: Effect.onExit(read, (exit) =>
        finish(Exit.isSuccess(exit) ? exit.value : "the connection was closed"),
      ),
      call,
      write: transport.write,
      onDrain: (listener) => {
        drained = listener
      },
      hold: (wanted) => {
        held = wanted
        regulate()
      },
    }
  })

const failureText = (id: Message.RequestId, cause: Cause.Cause<ErrorCode.RpcError>): string => {
  const failure = Cause.failureOrCause(cause)
  if (Either.isLeft(failure)) return Message.errorText(id, failure.left.code, failure.left.message)
  const [defect] = Cause.prettyErrors(failure.right)
  return Message.errorText(id, ErrorCode.internalError, `internal error: ${defect?.message ?? "unknown"}`)
}

const logDefect = (cause: Cause.Cause<never>) => Effect.logError("a request handler failed", cause)
