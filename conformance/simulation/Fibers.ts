/**
 * The fibers of a run that have not ended, each by what is known of it: whose it is, since when, and what it goes on
 * with. For the report of what waits for ever.
 */
import type * as Effect from "effect/Effect"
import * as Effects from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as HashMap from "effect/HashMap"
import * as Supervisor from "effect/Supervisor"

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** Characters of a function that are shown. */
const mostCode = 100

/** Functions that are shown of a fiber. */
const mostFrames = 2

/** Functions of Effect itself: they say nothing about who waits. */
const ofEffect =
  /exitFailCause|onFailure|release\(a|isEffect\d*\(|pushResult|yieldNow|\(value\)|^\(\w*\) => [\w(), ]+$/

/** The fibers that live. */
export class Fibers extends Supervisor.AbstractSupervisor<void> {
  readonly value = Effects.void
  private readonly live = new Map<AnyFiber, number>()
  private readonly now: () => number

  /** `now` is the time of the run. */
  constructor(now: () => number) {
    super()
    this.now = now
  }

  override onStart(_: unknown, __: Effect.Effect<unknown, unknown, unknown>, ___: unknown, fiber: AnyFiber) {
    this.live.set(fiber, this.now())
  }

  override onEnd(_: Exit.Exit<unknown, unknown>, fiber: AnyFiber) {
    this.live.delete(fiber)
  }

  /** Their number. */
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
  const annotations = HashMap.toEntries(fiber.getFiberRef(FiberRef.currentLogAnnotations))
  const whose = ["program", "connection", "session", "process"]
    .flatMap((name) =>
      annotations.flatMap(([of, value]) => (of === name ? [`${name} ${String(value)}`] : [])),
    )
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
