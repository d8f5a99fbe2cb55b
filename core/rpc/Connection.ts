/**
 * One JSON-RPC connection over a transport: parse, correlate, dispatch, reply, close.
 *
 * Both ends use it. Requests begin in the order of their arrival, each runs until it has to wait, and none waits for
 * another, except that at most `concurrentRequests` slotted ones run at once; answers leave as they are ready. A
 * malformed message is answered with id -1. A message that no peer may send (an answer to no request, a notification
 * that the receiver refuses) ends the connection without a word. This end can leave with last words.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import type * as Scope from "effect/Scope"
import type { RpcError } from "../protocol/ErrorCode.ts"
import type { Bounds, Json } from "../protocol/Json.ts"
import { MemoryPool } from "../protocol/MemoryPool.ts"
import * as Message from "../protocol/Message.ts"
import * as Trace from "../protocol/Trace.ts"
import type { Outgoing, Transport } from "../transport/Transport.ts"
import * as Dispatch from "./Dispatch.ts"
import { Intake } from "./Intake.ts"
import { Disconnected, PendingCalls } from "./PendingCalls.ts"
import type { Receiver } from "./Receiver.ts"
import * as Requests from "./Requests.ts"
import { RequestSlots } from "./RequestSlots.ts"

export { Disconnected } from "./PendingCalls.ts"
export type { Receiver } from "./Receiver.ts"

/**
 * Is called when a request is sent, with what tells the peer once that nobody wants its answer, or what follows that;
 * an interrupted call has told it. A peer that is not told of its method is told nothing.
 */
export type Sent = (cancel: () => void) => void

/** One end of a connection. */
export interface Connection {
  /** Serves until the peer is gone or has broken the protocol, and says which. Run it once. */
  readonly run: Effect.Effect<string>
  /** Sends a request and waits for its answer. */
  readonly call: (
    method: string,
    params: unknown,
    sent?: Sent,
  ) => Effect.Effect<Json, RpcError | Disconnected>
  /** The peer no longer waits for the answer to its request of that id (see `Requests.cancel`). */
  readonly cancel: (id: Message.RequestId) => void
  /** Queues a message; false while the peer does not keep up. */
  readonly write: (message: Outgoing) => boolean
  /** Called when the peer keeps up again. One listener. */
  readonly onDrain: (listener: () => void) => void
  /** Takes nothing more from the peer while held. */
  readonly hold: (held: boolean) => void
  /** Refuses every request that has no answer yet, writes the last message, and ends the connection. */
  readonly leave: (error: RpcError, lastWords: string) => void
}

/** Memory for requests with a long chunk, of all connections: the longest that clients write at once, with its base64. */
const memory = new MemoryPool(Math.ceil(((256 * 1024) / 3) * 4) + 1024, 4)

/** Limits of a connection. */
export interface Options {
  /** Slotted requests that run at once; more of them wait their turn. */
  readonly concurrentRequests: number
  /** Limits on the depth and the number of values of a message. */
  readonly bounds?: Bounds
  /** True if the peer is to be told that a call of this method was interrupted. By default it is told of none. */
  readonly cancels?: (method: string) => boolean
}

/** A connection on which `receiver` takes what the peer sends. It serves while `run` runs. */
export const make = (
  transport: Transport,
  receiver: Receiver,
  options: Options,
): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const slots = new RequestSlots(options.concurrentRequests)
    const intake = new Intake(() => slots.crowded)
    const reply = (text: string) => {
      if (!transport.write(text)) intake.owe(text.length)
    }
    const requests = yield* Requests.make(receiver, slots, intake, reply)
    const calls = new PendingCalls()
    const left = Deferred.unsafeMake<string>(FiberId.none)
    let drained = () => {}
    transport.onDrain(() => {
      intake.settle()
      requests.admit()
      drained()
    })
    const receive = Dispatch.make(transport.label, receiver, options.bounds, { requests, calls, reply })

    const incoming = transport.cut ?? transport.incoming
    const read: Effect.Effect<string> = Effect.gen(function* () {
      for (;;) {
        if (!intake.open) yield* intake.opened
        const [batch, done] = yield* incoming.takeAll
        for (const text of batch) {
          if (!intake.open) yield* intake.opened
          const violation = receive(text)
          if (violation !== undefined) return `protocol violation: ${violation}`
        }
        if (done) return "the peer closed the connection"
      }
    }).pipe(Effect.catchAll((error) => Effect.succeed(error.message)))

    const end = (why: string) =>
      Effect.suspend(() => {
        calls.end(new Disconnected({ message: why, sent: true }))
        return Effect.zipRight(requests.end, transport.close)
      })

    return {
      run: Effect.onExit(Effect.raceFirst(read, Deferred.await(left)), (exit) =>
        end(Exit.isSuccess(exit) ? exit.value : "the connection was closed"),
      ),
      call: (method, params, sent) =>
        Effect.flatMap(Trace.ofCaller, (trace) => {
          let told = false
          const cancel = (id: number) => {
            if (told || options.cancels?.(method) !== true) return
            told = true
            transport.write(Message.notificationText("request/cancel", { id }))
          }
          const send = (id: number) => {
            transport.write(Message.request(id, method, params, trace, memory))
            sent?.(() => cancel(id))
          }
          return calls.call(send, cancel)
        }),
      cancel: requests.cancel,
      write: transport.write,
      onDrain: (listener) => {
        drained = listener
      },
      hold: (held) => intake.hold(held),
      leave: (error, lastWords) => {
        requests.refuse(error)
        transport.write(lastWords)
        Deferred.unsafeDone(left, Effect.succeed(error.message))
      },
    }
  })
