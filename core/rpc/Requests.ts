/**
 * The requests of the peer: each begins when it arrives, or when a slot is free if its method needs one, runs until it
 * has to wait, and is answered as soon as it is done.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Fork from "../protocol/Fork.ts"
import * as AtOnce from "../protocol/AtOnce.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import * as Message from "../protocol/Message.ts"
import type { Intake } from "./Intake.ts"
import type { Receiver } from "./Receiver.ts"
import type { RequestSlots } from "./RequestSlots.ts"
import type { RequestContext } from "./Router.ts"
import { Running } from "./Running.ts"

/** The requests of one connection. */
export interface Requests {
  /** Begins a request, or queues it. `size` is that of its text in UTF-16 units. */
  readonly take: (request: Message.Request, size: number) => void
  /** Begins queued requests while there are slots and the peer reads its answers. */
  readonly admit: () => void
  /**
   * Interrupts the request of that id, or drops it from the queue, if its method may be cancelled. Where that comes in
   * time, it is answered with `requestCancelled` when what it held is released. Behind its answer it stops what
   * follows that, if something does. Any other id is ignored.
   */
  readonly cancel: (id: Message.RequestId) => void
  /** Drops queued requests and interrupts those that run: none of them is answered. */
  readonly end: Effect.Effect<void>
  /** The same, but all of them are answered with the error at once. Requests that come later are not answered. */
  readonly refuse: (error: ErrorCode.RpcError) => void
}

/** Answers by `receiver` and sends the answers with `reply`. */
export const make = (
  receiver: Receiver,
  slots: RequestSlots,
  intake: Intake,
  reply: (text: string) => void,
): Effect.Effect<Requests, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* Fork.inScope
    const running = new Running()
    let refused = false

    const begin = (request: Message.Request, done: () => void) => {
      if (refused) return
      let hook: ((answered: boolean) => void) | undefined
      const context: RequestContext = {
        afterReply: (next) => void (hook = next),
        onCancel: (stop) => running.follow(request, stop),
      }
      const settle = (exit: Exit.Exit<string, ErrorCode.RpcError>) => {
        if (refused) return
        if (Exit.isSuccess(exit)) reply(Message.responseText(request.id, exit.value))
        else if (!Cause.isInterruptedOnly(exit.cause)) reply(failureText(request.id, exit.cause))
        else if (running.wasCancelled(request)) reply(cancelledText(request.id))
        hook?.(Exit.isSuccess(exit))
        done()
      }
      const answer = begun(receiver, request, context)
      const known = AtOnce.exitOf(answer)
      if (known !== undefined) return settle(known)
      const fiber = fork(answer, { immediate: true })
      const exit = fiber.unsafePoll()
      if (exit !== null) return settle(exit)
      running.add(fiber, request)
      fiber.addObserver((exit) => {
        running.delete(fiber)
        settle(exit)
      })
    }

    const leaveSlot = () => {
      slots.release()
      admit()
    }

    const admit = () => {
      while (!intake.owing) {
        const next = slots.next()
        if (next === undefined) break
        begin(next, leaveSlot)
      }
      intake.update()
    }

    return {
      admit,
      take: (request, size) => {
        if (!receiver.slotted(request.method)) return begin(request, nothing)
        slots.add(request, size)
        admit()
      },
      cancel: (id) => {
        const named = (request: Message.Request) =>
          request.id === id && receiver.cancellable?.(request.method) === true
        for (let left = slots.drop(named); left > 0; left--) reply(cancelledText(id))
        intake.update()
        running.cancel(named)
      },
      end: Effect.suspend(() => {
        slots.clear()
        return running.end
      }),
      refuse: ({ code, message }) => {
        refused = true
        const requests = [...running.clear(), ...slots.clear()]
        for (const { id } of requests) reply(Message.errorText(id, code, message))
      },
    }
  })

const nothing = () => {}

/** What answers a request. What the receiver throws is a defect, and defects are logged. */
const begun = (receiver: Receiver, request: Message.Request, context: RequestContext) => {
  try {
    const answer = receiver.request(request, context)
    const known = AtOnce.exitOf(answer)
    const isDefect = known !== undefined && Exit.isFailure(known) && !Cause.isFailType(known.cause)
    return known === undefined || isDefect ? Effect.tapDefect(answer, logDefect) : known
  } catch (defect) {
    return Effect.tapDefect(Effect.die(defect), logDefect)
  }
}

const cancelledText = (id: Message.RequestId): string =>
  Message.errorText(id, ErrorCode.requestCancelled, ErrorCode.cancelledText)

const failureText = (id: Message.RequestId, cause: Cause.Cause<ErrorCode.RpcError>): string => {
  const failure = Cause.failureOrCause(cause)
  if (Either.isLeft(failure)) {
    const { code, data, message } = failure.left
    return Message.errorText(id, code, message, data)
  }
  const [defect] = Cause.prettyErrors(failure.right)
  return Message.errorText(id, ErrorCode.internalError, `internal error: ${defect?.message ?? "unknown"}`)
}

const logDefect = (cause: Cause.Cause<never>) => Effect.logError("a request handler failed", cause)
