/**
 * The fibers of a run that have not ended, each by what is known of it: whose it is, since when, and what it goes on
 * with. For the report of what waits for ever.
 */
import type * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as Scheduler from "effect/Scheduler"

type AnyFiber = Fiber.Fiber<unknown, unknown>

/** Characters of a function that are shown. */
const mostCode = 100

/** Functions that are shown of a fiber. */
const mostFrames = 2

/** Functions of Effect itself: they say nothing about who waits. */
const ofEffect =
  /exitFailCause|onFailure|resumed = true|fiberInterruptAll|release\(a|isEffect\d*\(|pushResult|yieldNow|\(value\)|^\(\w*\) => [\w(), ]+$/

/** The scheduler of Effect, on another queue than that of the event loop. It meets each fiber at its first step. */
export class Fibers extends Scheduler.MixedScheduler {
  private readonly live = new Map<AnyFiber, number>()
  private readonly now: () => number

  /** `now` is the time of the run, `enqueue` has tasks run after all that were enqueued before. */
  constructor(now: () => number, enqueue: (tasks: () => void) => void) {
    super("async", (tasks) => {
      enqueue(tasks)
      // Only `runSync` takes tasks back, and it has a scheduler of its own.
      return () => {}
    })
    this.now = now
  }

  override shouldYield(fiber: AnyFiber): boolean {
    if (fiber.currentOpCount === 1 && !this.live.has(fiber)) {
      this.live.set(fiber, this.now())
      fiber.addObserver(() => this.live.delete(fiber))
    }
    return super.shouldYield(fiber)
  }

  get count(): number {
    return this.live.size
  }

  /** A line for each, those that wait longest first. */
  get lines(): ReadonlyArray<string> {
    return [...this.live].map(([fiber, since]) => `since ${(since / 1000).toFixed(3)}: ${nameOf(fiber)}`)
  }
}

/** Whose it is, and what it goes on with: the innermost functions that wait for a result. */
const nameOf = (fiber: AnyFiber): string => {
  const annotations = fiber.getRef(References.CurrentLogAnnotations)
  const whose = ["program", "connection", "session", "process"]
    .flatMap((name) => (name in annotations ? [`${name} ${String(annotations[name])}`] : []))
    .join(", ")
  const frames = framesOf(fiber)
  return `${whose || "a fiber"} waits${frames.length === 0 ? "" : `, and goes on in ${frames.join(" > ")}`}`
}

/** A runtime without such a stack shows none. */
const framesOf = (fiber: AnyFiber): ReadonlyArray<string> => {
  const { _stack: stack = [] } = fiber as unknown as { readonly _stack?: ReadonlyArray<object> }
  const frames = stack.flatMap((frame) => {
    const code = Object.values(frame).find((part) => typeof part === "function")
    const text = String(code).replaceAll(/\s+/g, " ")
    return code === undefined || ofEffect.test(text) ? [] : [text.slice(0, mostCode)]
  })
  // The innermost one is the last.
  return frames.slice(-mostFrames)
}
