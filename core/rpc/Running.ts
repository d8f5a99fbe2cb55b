/** The requests of a connection that run, each with its fiber, and which of them were cancelled. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type * as Message from "../protocol/Message.ts"

/** The requests that run, in the order in which they have begun. */
export class Running {
  private readonly requests = new Map<Fiber.RuntimeFiber<unknown, unknown>, Message.Request>()
  /** What follows the answers of requests that are over, and how it is stopped. */
  private readonly following = new Map<Message.Request, () => void>()
  private readonly cancelled = new WeakSet<Message.Request>()

  /** A request runs in this fiber. */
  add(fiber: Fiber.RuntimeFiber<unknown, unknown>, request: Message.Request): void {
    this.requests.set(fiber, request)
  }

  /** The fiber has ended. */
  delete(fiber: Fiber.RuntimeFiber<unknown, unknown>): void {
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
      fiber.unsafeInterruptAsFork(FiberId.none)
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
    for (const fiber of this.requests.keys()) fiber.unsafeInterruptAsFork(FiberId.none)
    return requests
  }
}
