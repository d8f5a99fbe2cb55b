/**
 * One JSON-RPC connection over a transport: parse, correlate, dispatch, reply, close.
 *
 * Both ends use it. Requests begin in the order of their arrival, each runs until it has to wait, and none waits for
 * another, except that at most `concurrentRequests` slotted ones run at once; answers leave as they are ready. A
 * malformed message is answered with id -1. A message that no peer may send (an answer to no request, a notification
 * that the receiver refuses) ends the connection without a word. This end can leave with last words.
 */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { CutText } from "../protocol/CutText.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import type { Bounds, Json } from "../protocol/Json.ts"
import { MemoryPool } from "../protocol/MemoryPool.ts"
import * as Message from "../protocol/Message.ts"
import * as Trace from "../protocol/Trace.ts"
import type { Outgoing, Transport } from "../transport/Transport.ts"
import * as Requests from "./Requests.ts"
import type { Receiver } from "./Requests.ts"

export type { Receiver } from "./Requests.ts"

/** The connection ended before the call was answered. `message` is for people. */
export class Disconnected extends Data.TaggedError("Disconnected")<{
  readonly message: string
  /** False if the connection had ended before the call: the peer never heard of it. */
  readonly sent: boolean
}> {}

/**
 * Is called when a request is sent. `cancel` notifies the peer, once, that the answer, or what follows it, is not
 * wanted any more; an interrupted call has done so. It does nothing for a method without `cancels`.
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
  ) => Effect.Effect<Json, ErrorCode.RpcError | Disconnected>
  /** The peer no longer waits for the answer to its request of that id (see `Requests.cancel`). */
  readonly cancel: (id: Message.RequestId) => void
  /** Queues a message; false while the peer does not keep up. */
  readonly write: (message: Outgoing) => boolean
  /** Called when the peer keeps up again. One listener. */
  readonly onDrain: (listener: () => void) => void
  /** Takes nothing more from the peer while held. */
  readonly hold: (held: boolean) => void
  /** Refuses every request that has no answer yet, writes the last message, and ends the connection. */
  readonly leave: (error: ErrorCode.RpcError, lastWords: string) => void
}

/** Memory for requests with a long chunk, of all connections: the longest that clients write at once, with its base64. */
const memory = new MemoryPool(Math.ceil(((256 * 1024) / 3) * 4) + 1024, 4)

/** Limits of a connection. */
export interface Options {
  /** Slotted requests that run at once; more of them wait their turn. */
  readonly concurrentRequests: number
  /** Limits on the depth and the number of values of a message. */
  readonly bounds?: Bounds
  /** True if the peer is notified that a call of this method was interrupted. By default it is notified of none. */
  readonly cancels?: (method: string) => boolean
}

/** A connection on which `receiver` takes what the peer sends. It serves while `run` runs. */
export const make = (
  transport: Transport,
  receiver: Receiver,
  options: Options,
): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const slots = new Requests.RequestSlots(options.concurrentRequests)
    const intake = new Requests.Intake(() => slots.crowded)
    const reply = (text: string) => {
      if (!transport.write(text)) intake.owe(text.length)
    }
    const requests = yield* Requests.make(receiver, slots, intake, reply)
    const calls = new PendingCalls()
    const left = Deferred.makeUnsafe<string>()
    let drained = () => {}
    transport.onDrain(() => {
      intake.settle()
      requests.admit()
      drained()
    })
    const receive = dispatching(transport.label, receiver, options.bounds, { requests, calls, reply })

    const incoming = transport.cut ?? transport.incoming
    const read: Effect.Effect<string> = Effect.gen(function* () {
      for (;;) {
        if (!intake.open) yield* intake.opened
        const [batch, done] = yield* incoming.takeAll
        for (const text of batch) {
          if (!intake.open) yield* intake.opened
          const outcome = receive(text)
          if (typeof outcome === "string") return `protocol violation: ${outcome}`
          if (outcome !== undefined) yield* outcome
        }
        if (done) return "the peer closed the connection"
      }
    }).pipe(Effect.catch((error) => Effect.succeed(error.message)))

    const end = (why: string) =>
      Effect.suspend(() => {
        calls.end(new Disconnected({ message: why, sent: true }))
        return Effect.andThen(requests.end, transport.close)
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
        Deferred.doneUnsafe(left, Effect.succeed(error.message))
      },
    }
  })

type Outcome = string | Effect.Effect<void> | undefined

/** The destinations of messages. */
interface Destinations {
  readonly requests: Pick<Requests.Requests, "take">
  readonly calls: Pick<PendingCalls, "answer" | "failOnly">
  /** Sends the text of an error. */
  readonly reply: (text: string) => void
}

/**
 * A function that takes the text of one message, and returns what is wrong with one that violates the protocol, or what
 * takes it when its request can begin. `label` names messages in errors.
 */
const dispatching = (
  label: string,
  receiver: Receiver,
  bounds: Bounds | undefined,
  { requests, calls, reply }: Destinations,
): ((text: string | CutText) => Outcome) => {
  const notify = (notification: Message.Notification): string | undefined => {
    const taken = receiver.notification(notification)
    if (taken === false) return `unexpected notification ${JSON.stringify(notification.method)}`
    if (taken !== true) reply(Message.errorText(Message.malformedId, taken.code, taken.message))
    return undefined
  }

  const answer = (id: Message.RequestId, exit: Parameters<PendingCalls["answer"]>[1]): string | undefined =>
    calls.answer(id, exit) || receiver.endsOnStrayAnswer === false ? undefined : "an answer to no request"

  const unaddressed = (error: ErrorCode.RpcError): undefined => {
    if (!calls.failOnly(error)) receiver.unaddressed?.(error)
  }

  /** Takes what cannot be parsed. A request that only has half a character is answered with its id. */
  const malformed = (text: string | CutText, why: string): Outcome => {
    const fault = `failed to parse ${label}: ${why}`
    const illFormed = Message.fromIllFormed(text, bounds)
    if (receiver.endsOnMalformed === true) {
      if (receiver.unaddressed === undefined) return fault
      if (Result.isSuccess(illFormed)) return take(illFormed.success, text.length)
      const error = Message.unaddressed(text, bounds)
      return error === undefined ? fault : unaddressed(new ErrorCode.RpcError(error))
    }
    const known = Result.isSuccess(illFormed) && illFormed.success.kind === "request"
    const id = known ? illFormed.success.id : Message.malformedId
    reply(Message.errorText(id, ErrorCode.invalidRequest, fault))
    return undefined
  }

  const take = (message: Message.Message, size: number): Outcome => {
    switch (message.kind) {
      case "request": {
        const loading = receiver.loading?.(message)
        if (loading !== undefined) return Effect.map(loading, () => requests.take(message, size))
        requests.take(message, size)
        return undefined
      }
      case "notification":
        return notify(message)
      case "response":
        return answer(message.id, Exit.succeed(message.result))
      case "error": {
        const error = new ErrorCode.RpcError(message)
        const names = message.id !== Message.malformedId || receiver.unaddressed === undefined
        return names ? answer(message.id, Exit.fail(error)) : unaddressed(error)
      }
    }
  }

  return (text) => {
    const parsed = Message.fromText(text, bounds)
    return Result.isSuccess(parsed) ? take(parsed.success, text.length) : malformed(text, parsed.failure)
  }
}

type Resume = (answer: Exit.Exit<Json, ErrorCode.RpcError | Disconnected>) => void

/**
 * The requests that this end has sent, until their answers arrive or the connection ends.
 * @internal
 */
export class PendingCalls {
  private readonly callers = new Map<Message.RequestId, Resume>()
  private lastId = 0
  private ended: Disconnected | undefined

  /** Sends a request with a fresh id and waits for its answer. `giveUp` is called if the caller is interrupted before. */
  call(
    send: (id: number) => void,
    giveUp: (id: number) => void = () => {},
  ): Effect.Effect<Json, ErrorCode.RpcError | Disconnected> {
    return Effect.callback((resume) => {
      const { ended } = this
      if (ended !== undefined)
        return resume(Effect.fail(new Disconnected({ message: ended.message, sent: false })))
      const id = (this.lastId += 1)
      this.callers.set(id, resume)
      send(id)
      // The id of an interrupted call stays known: its answer is still due, and no violation.
      return Effect.sync(() => {
        if (!this.callers.has(id)) return
        this.callers.set(id, () => {})
        giveUp(id)
      })
    })
  }

  /** Gives an answer to its caller; false if there is no call of that id. */
  answer(id: Message.RequestId, answer: Exit.Exit<Json, ErrorCode.RpcError>): boolean {
    const resume = this.callers.get(id)
    if (resume === undefined) return false
    this.callers.delete(id)
    resume(answer)
    return true
  }

  /** Fails the call that is the only one without an answer; false if there is none, or if there are others. */
  failOnly(error: ErrorCode.RpcError): boolean {
    if (this.callers.size !== 1) return false
    for (const id of this.callers.keys()) this.answer(id, Exit.fail(error))
    return true
  }

  /** Fails every call, and those that come later. */
  end(ended: Disconnected): void {
    this.ended = ended
    for (const resume of this.callers.values()) resume(Exit.fail(ended))
    this.callers.clear()
  }
}
