/**
 * Time and the order of everything: a clock that stands still while anything can run, and a queue of what can.
 *
 * All fibers run by this scheduler, in the order in which they were woken, as on a real runtime. When none can run
 * the clock goes on to the next timer; timers of the same millisecond fire in an order that the seed decides. There is
 * no real clock, timer or promise in it, so a run is one synchronous function.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as References from "effect/References"
import * as Scheduler from "effect/Scheduler"
import { Buffers, type Buffer, type BuffersService } from "../../core/protocol/Buffers.ts"
import { Fibers } from "./Fibers.ts"
import type { Seed } from "./Seed.ts"
import type { Trace } from "./Trace.ts"

/** Steps that may run at one moment: more is a loop that waits for nothing. */
const mostAtOnce = 300_000

/** Milliseconds since 1970 at which each run begins. */
export const epoch = Date.UTC(2030, 0, 1)

export interface Violation {
  readonly invariant: string
  readonly detail: string
  /** When, in milliseconds of the run. */
  readonly at: number
}

interface Timer {
  readonly at: number
  readonly order: number
  readonly task: () => void
  cancelled: boolean
}

export class World {
  /** Milliseconds since the begin of the run. */
  now = 0
  /** The first violation; it ends the run. */
  violation: Violation | undefined
  /** Steps that have run: fibers and timers. */
  steps = 0
  readonly trace: Trace
  /** Every buffer with a bound. */
  readonly memory = new Memory()
  /** The scheduler of every fiber, which knows those that have not ended. */
  readonly fibers = new Fibers(
    () => this.now,
    (tasks) => this.soon(tasks),
  )
  private readonly seed: Seed
  private ready: Array<() => void> = []
  private readonly timers: Array<Timer> = []

  constructor(seed: Seed, trace: Trace) {
    this.seed = seed
    this.trace = trace
  }

  readonly clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => epoch + this.now,
    currentTimeNanosUnsafe: () => BigInt(epoch + this.now) * 1_000_000n,
    monotonicTimeNanosUnsafe: () => BigInt(this.now) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => epoch + this.now),
    currentTimeNanos: Effect.sync(() => BigInt(epoch + this.now) * 1_000_000n),
    monotonicTimeNanos: Effect.sync(() => BigInt(this.now) * 1_000_000n),
    sleep: (duration) =>
      Effect.callback<void>((resume) =>
        Effect.sync(this.after(Duration.toMillis(duration), () => resume(Effect.void))),
      ),
  }

  /** Runs a task so many milliseconds later. The returned function cancels it. */
  after(millis: number, task: () => void): () => void {
    const timer = this.add(millis, task)
    return () => {
      if (timer !== undefined) timer.cancelled = true
    }
  }

  /** Runs a task behind all that can run. */
  readonly soon = (task: () => void): void => void this.ready.push(task)

  /** Looks at something so many milliseconds later, after all that happens then: it does not disturb the order. */
  watch(millis: number, look: () => void): void {
    this.add(millis, look, 2 ** 32)
  }

  /** Notes what happens now. */
  note(text: string): void {
    this.trace.add(this.now, text)
  }

  /** Notes that an invariant does not hold; the first one ends the run. */
  violate(invariant: string, detail: string): void {
    if (this.violation !== undefined) return
    this.violation = { invariant, detail, at: this.now }
    this.note(`VIOLATION ${invariant}: ${detail}`)
  }

  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return Effect.runForkWith(this.context)(Random.withSeed(effect, `random ${this.seed.next()}`))
  }

  private readonly logger = Logger.make<unknown, void>(({ message, cause }) => {
    const text = [message].flat().map(String).join(" ")
    this.violate("nothing fails inside", `${text} ${cause.reasons.length === 0 ? "" : Cause.pretty(cause)}`)
  })

  /** The services of every fiber. */
  private readonly context = Context.make(Clock.Clock, this.clock).pipe(
    Context.add(Scheduler.Scheduler, this.fibers),
    Context.add(Buffers, this.memory.service),
    Context.add(Logger.CurrentLoggers, new Set([this.logger])),
    Context.add(References.MinimumLogLevel, "Error"),
  )

  /** Runs until `done`, until an invariant fails, or until nothing can happen any more. */
  run(done: () => boolean): void {
    while (this.violation === undefined && !done()) {
      this.settle()
      if (this.violation !== undefined || done()) return
      const timer = this.pop()
      if (timer === undefined) return
      if (timer.cancelled) continue
      timer.cancelled = true
      if (timer.at > this.now) this.advance(timer.at)
      if (this.violation !== undefined) return
      this.steps += 1
      timer.task()
    }
  }

  private settle(): void {
    let ran = 0
    while (this.ready.length > 0 && this.violation === undefined) {
      const tasks = this.ready
      this.ready = []
      for (const task of tasks) {
        task()
        ran += 1
      }
      if (ran > mostAtOnce) this.violate("nobody spins", `${ran} steps without time passing`)
    }
    this.steps += ran
  }

  /** Buffers are looked at before time goes on: there are far more steps than moments. */
  private advance(to: number): void {
    const { excess } = this.memory
    // guards: ring
    if (excess !== undefined) this.violate("memory is bounded", excess)
    this.now = to
  }

  private add(millis: number, task: () => void, order = this.seed.next()): Timer | undefined {
    if (!Number.isFinite(millis)) return undefined
    const at = this.now + Math.max(0, Math.ceil(millis))
    const timer: Timer = { at, order, task, cancelled: false }
    const { timers } = this
    let index = timers.length
    timers.push(timer)
    while (index > 0) {
      const parent = (index - 1) >> 1
      const other = timers[parent]!
      if (!before(timer, other)) break
      timers[index] = other
      index = parent
    }
    timers[index] = timer
    return timer
  }

  private pop(): Timer | undefined {
    const { timers } = this
    const [first] = timers
    const last = timers.pop()
    if (first === undefined || last === undefined || timers.length === 0) return first
    const { length } = timers
    let index = 0
    for (let child = 1; child < length; child = 2 * index + 1) {
      let least = timers[child]!
      const right = child + 1 < length ? timers[child + 1]! : undefined
      if (right !== undefined && before(right, least)) {
        least = right
        child += 1
      }
      if (!before(least, last)) break
      timers[index] = least
      index = child
    }
    timers[index] = last
    return first
  }
}

const before = (one: Timer, other: Timer): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order)

/** Checks that every buffer stays within its bound, each time before the clock goes on. */
export class Memory {
  /** For the core, and for the transports of the simulation. */
  readonly service: BuffersService = { made: (buffer) => void this.buffers.push(buffer) }
  private readonly buffers: Array<Buffer> = []

  /** The buffer that exceeds its bound, and by how much; undefined if none does. Forgets those that are over. */
  get excess(): string | undefined {
    const { buffers } = this
    let live = 0
    let found: string | undefined
    for (const buffer of buffers) {
      const size = buffer.size()
      if (size === undefined) continue
      buffers[live] = buffer
      live += 1
      if (size > buffer.bound()) found ??= `${buffer.name}: ${size} of ${buffer.bound()}`
    }
    buffers.length = live
    return found
  }
}
