/** The requests of a connection that run, each with its fiber, and which of them were cancelled. */
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type * as Message from "../protocol/Message.ts"

/** The requests that run, in the order in which they have begun. */
export class Running {
  private readonly requests = new Map<Fiber.RuntimeFiber<unknown, unknown>, Message.Request>()
  private readonly cancelled = new WeakSet<Message.Request>()

  /** A request runs in this fiber. */
  add(fiber: Fiber.RuntimeFiber<unknown, unknown>, request: Message.Request): void {
    this.requests.set(fiber, request)
  }

  /** The fiber has ended. */
  delete(fiber: Fiber.RuntimeFiber<unknown, unknown>): void {
    this.requests.delete(fiber)
  }

  /** Interrupts the requests for which `is` is true. */
  cancel(is: (request: Message.Request) => boolean): void {
    for (const [fiber, request] of this.requests) {
      if (!is(request)) continue
      this.cancelled.add(request)
      fiber.unsafeInterruptAsFork(FiberId.none)
    }
  }

  /** True if the request was cancelled while it ran. */
  wasCancelled(request: Message.Request): boolean {
    return this.cancelled.has(request)
  }

  /** Interrupts all of them, and returns them. */
  clear(): ReadonlyArray<Message.Request> {
    const requests = [...this.requests.values()]
    for (const fiber of this.requests.keys()) fiber.unsafeInterruptAsFork(FiberId.none)
    return requests
  }
}
