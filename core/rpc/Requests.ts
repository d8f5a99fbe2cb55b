/**
 * The requests of the peer: each begins when it arrives, or when a slot is free if its method needs one, runs until it
 * has to wait, and is answered as soon as it is done.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as AtOnce from "../protocol/AtOnce.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import * as Fork from "../protocol/Fork.ts"
import * as Message from "../protocol/Message.ts"
import type { RequestContext } from "./Router.ts"

/** One end, as its connection sees it: the client and the server differ in what they do with messages. */
export interface Receiver {
  /** Answers a request with the JSON text of its result. */
  readonly request: (
    request: Message.Request,
    context: RequestContext,
  ) => Effect.Effect<string, ErrorCode.RpcError>
  /** Gets ready what a request needs; undefined if it can begin. Nothing is taken from the peer meanwhile. */
  readonly loading?: (request: Message.Request) => Effect.Effect<void> | undefined
  /** True if the method counts against `concurrentRequests` while it runs. */
  readonly slotted: (method: string) => boolean
  /** True if the peer may cancel a request of this method. By default none. */
  readonly cancellable?: (method: string) => boolean
  /** Takes a notification. False ends the connection; an error is sent with id -1. */
  readonly notification: (notification: Message.Notification) => boolean | ErrorCode.RpcError
  /** True if a malformed message ends the connection; by default it is answered with id -1. */
  readonly endsOnMalformed?: boolean
  /**
   * Takes an error without the id of a request (null, -1 or none), which fails the only request that has no answer yet;
   * this takes it where there are several, or none. Without it such an error is malformed.
   */
  readonly unaddressed?: (error: ErrorCode.RpcError) => void
  /** False if an answer to no request is ignored; by default it ends the connection. */
  readonly endsOnStrayAnswer?: boolean
}

/** The requests of one connection. */
export interface Requests {
  /** Begins a request, or queues it. `size` is that of its text in UTF-16 units. */
  readonly take: (request: Message.Request, size: number) => void
  /** Begins queued requests while there are slots and the peer reads its answers. */
  readonly admit: () => void
  /**
   * Interrupts the request of that id, or drops it from the queue, if its method may be cancelled. If that comes in
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
        else if (!Cause.hasInterruptsOnly(exit.cause)) reply(failureText(request.id, exit.cause))
        else if (running.wasCancelled(request)) reply(cancelledText(request.id))
        hook?.(Exit.isSuccess(exit))
        done()
      }
      const answer = begun(receiver, request, context)
      const known = AtOnce.exitOf(answer)
      if (known !== undefined) return settle(known)
      const fiber = fork(answer)
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return settle(exit)
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

/** The answer to a request. An exception of the receiver is a defect, and defects are logged. */
const begun = (receiver: Receiver, request: Message.Request, context: RequestContext) => {
  try {
    const answer = receiver.request(request, context)
    const known = AtOnce.exitOf(answer)
    const isDefect = known !== undefined && Exit.isFailure(known) && !Cause.hasFails(known.cause)
    return known === undefined || isDefect ? Effect.tapDefect(answer, logDefect) : known
  } catch (defect) {
    return Effect.tapDefect(Effect.die(defect), logDefect)
  }
}

const cancelledText = (id: Message.RequestId): string =>
  Message.errorText(id, ErrorCode.requestCancelled, ErrorCode.cancelledText)

const failureText = (id: Message.RequestId, cause: Cause.Cause<ErrorCode.RpcError>): string => {
  const failure = Cause.findError(cause)
  if (Result.isSuccess(failure)) {
    const { code, data, message } = failure.success
    return Message.errorText(id, code, message, data)
  }
  const [defect] = Cause.prettyErrors(cause)
  return Message.errorText(id, ErrorCode.internalError, `internal error: ${defect?.message ?? "unknown"}`)
}

const logDefect = (defect: unknown) => Effect.logError("a request handler failed", Cause.die(defect))

/** Requests that may wait before nothing more is taken from the peer. */
const mostWaiting = 1024

/** Size of their texts, in UTF-16 units, with the same effect: 8 Mi. */
const mostWaitingSize = 8 * 1024 * 1024

/** The slots in which slotted requests run, and the queue of those that wait for one. First come, first served. */
export class RequestSlots {
  private readonly slots: number
  private readonly waiting: Array<{ readonly request: Message.Request; readonly size: number }> = []
  private waitingSize = 0
  private taken = 0

  constructor(slots: number) {
    this.slots = slots
  }

  /** Queues a request whose text has that many UTF-16 units. */
  add(request: Message.Request, size: number): void {
    this.waiting.push({ request, size })
    this.waitingSize += size
  }

  /** The next request, which takes a slot; undefined while none waits or no slot is free. */
  next(): Message.Request | undefined {
    const next = this.taken < this.slots ? this.waiting.shift() : undefined
    if (next === undefined) return undefined
    this.waitingSize -= next.size
    this.taken += 1
    return next.request
  }

  /** Drops the requests that wait and for which `is` is true; returns how many there were. */
  drop(is: (request: Message.Request) => boolean): number {
    const kept = this.waiting.filter(({ request }) => !is(request))
    const dropped = this.waiting.length - kept.length
    if (dropped > 0) {
      this.waiting.splice(0, Infinity, ...kept)
      this.waitingSize = kept.reduce((sum, { size }) => sum + size, 0)
    }
    return dropped
  }

  /** A request that had a slot is done. */
  release(): void {
    this.taken -= 1
  }

  /** True while so much waits that no more should be taken from the peer. */
  get crowded(): boolean {
    return this.waiting.length > mostWaiting || this.waitingSize > mostWaitingSize
  }

  /** Drops the requests that wait, and returns them. */
  clear(): ReadonlyArray<Message.Request> {
    this.waitingSize = 0
    return this.waiting.splice(0).map(({ request }) => request)
  }
}

/** The requests of a connection that run, each with its fiber, and which of them were cancelled. */
export class Running {
  private readonly requests = new Map<Fiber.Fiber<unknown, unknown>, Message.Request>()
  /** The work that goes on behind an answer, and its stop. */
  private readonly following = new Map<Message.Request, () => void>()
  private readonly cancelled = new WeakSet<Message.Request>()

  /** A request runs in this fiber. */
  add(fiber: Fiber.Fiber<unknown, unknown>, request: Message.Request): void {
    this.requests.set(fiber, request)
  }

  /** The fiber has ended. */
  delete(fiber: Fiber.Fiber<unknown, unknown>): void {
    this.requests.delete(fiber)
  }

  /** Something follows the answer of a request, until the returned function is called; `stop` is called by `cancel`. */
  follow(request: Message.Request, stop: () => void): () => void {
    this.following.set(request, stop)
    return () => void this.following.delete(request)
  }

  /** Interrupts the requests for which `is` is true, and stops what follows them. */
  cancel(is: (request: Message.Request) => boolean): void {
    for (const [fiber, request] of this.requests) {
      if (!is(request)) continue
      this.cancelled.add(request)
      fiber.interruptUnsafe()
    }
    for (const [request, stop] of this.following) if (is(request)) stop()
  }

  /** True if the request was cancelled while it ran. */
  wasCancelled(request: Message.Request): boolean {
    return this.cancelled.has(request)
  }

  /** Interrupts all of them, and waits for their ends. */
  readonly end: Effect.Effect<void> = Effect.suspend(() =>
    this.requests.size === 0 ? Effect.void : Fiber.interruptAll([...this.requests.keys()]),
  )

  /** Interrupts all of them, and returns them. */
  clear(): ReadonlyArray<Message.Request> {
    const requests = [...this.requests.values()]
    for (const fiber of this.requests.keys()) fiber.interruptUnsafe()
    return requests
  }
}

/** UTF-16 units of answers that may wait for a peer which does not read: 8 Mi. */
const mostOwed = 8 * 1024 * 1024

/**
 * Back-pressure towards the peer: whether more of its messages are taken. They are not while the connection is held,
 * while the peer reads too few of its answers, or while too many of its requests wait.
 */
export class Intake {
  private readonly crowded: () => boolean
  private readonly latch = Latch.makeUnsafe(true)
  private held = false
  private owed = 0
  private isOpen = true

  /** `crowded` says whether too many requests wait. */
  constructor(crowded: () => boolean) {
    this.crowded = crowded
  }

  /** True while messages are taken. */
  get open(): boolean {
    return this.isOpen
  }

  /** Waits until the intake is open. */
  get opened(): Effect.Effect<void> {
    return this.latch.await
  }

  /** True while the peer has to read before it gets more answers. */
  get owing(): boolean {
    return this.owed > mostOwed
  }

  /** An answer of that size was queued for a peer that does not keep up. */
  owe(size: number): void {
    this.owed += size
    this.update()
  }

  /** The peer has read its answers. To be followed by `update`. */
  settle(): void {
    this.owed = 0
  }

  /** Closes the intake while held. */
  hold(held: boolean): void {
    this.held = held
    this.update()
  }

  /** Opens or closes the intake after a change. */
  update(): void {
    this.isOpen = !this.held && !this.owing && !this.crowded()
    if (this.isOpen) this.latch.openUnsafe()
    else this.latch.closeUnsafe()
  }
}
