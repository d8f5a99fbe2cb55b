/**
 * Holds the deadlines of one process to the truth, to the millisecond: a signal comes when a time has passed, once, and
 * never to a process that has ended; the kill comes after the grace, to what is left; the exit says what has ended it.
 */
import type { EndedBy } from "../../core/protocol/Ending.ts"
import type { Times, WaitPlan } from "./WaitMaker.ts"
import type { Truth, Witness } from "./Truth.ts"
import type { World } from "./World.ts"

const inTime = "a deadline fires once and in time"
const early = "a deadline is never early"
const ended = "a deadline never fires for a process that ended"
const reason = "an exit tells what has ended it"

/** The grace of a start that names none, in milliseconds. */
const defaultGrace = 5000

export class DeadlineJudge implements Witness {
  private readonly world: World
  private readonly truth: Truth
  private readonly times: Times
  private readonly lingerMillis: number
  private readonly grace: number
  /** When it was first asked to end, and for what; it may be either in a millisecond in which two times pass. */
  private askedAt: number | undefined
  private causes: ReadonlyArray<EndedBy> = []

  constructor(world: World, truth: Truth, { times, script }: WaitPlan) {
    this.world = world
    this.truth = truth
    this.times = times
    this.lingerMillis = script.lingerMillis
    this.grace = times.killGraceMs ?? defaultGrace
  }

  /** It is there: its times begin. */
  spawned(): void {
    this.expect(this.times.timeoutMs)
    this.wrote()
  }

  /** It has written: its silence begins anew. */
  wrote(): void {
    const { pieces } = this.truth
    const last = pieces.length
    this.expect(this.times.idleTimeoutMs, () => pieces.length === last)
  }

  signalled(name: string): void {
    if (name === "SIGCONT") return
    const { truth, world } = this
    if (truth.exitedAt !== undefined) this.wrong(ended, `${name} comes after its exit`)
    const due = this.due()
    if (this.causes.length === 0) this.causes = due
    if (truth.endAsked) return
    if (this.askedAt !== undefined) return this.wrong(inTime, `${name} comes again`)
    if (due.length === 0) this.wrong(early, `${name} comes before its time`)
    this.askedAt = world.now
    world.after(this.grace + 1, () => this.graceIsOver())
  }

  killed(): void {
    const { truth, world, askedAt, grace } = this
    if (askedAt === undefined && grace === 0) this.causes = this.due()
    if (truth.endAsked || truth.endWantedAt !== undefined) return
    if (askedAt === undefined) {
      if (truth.exitedAt !== undefined) this.wrong(ended, "it is killed after its exit")
      if (this.causes.length === 0) this.wrong(early, "it is killed before its time")
      return
    }
    if (world.now !== askedAt + grace)
      this.wrong(early, `it is killed ${world.now - askedAt} ms after a signal`)
    if (truth.exitedAt !== undefined && !this.lingers(world.now))
      this.wrong(ended, "it is killed, and nothing is left of it")
  }

  /** The fault in the words of its exit; undefined if they are right. */
  endFault(endedBy: EndedBy | undefined): string | undefined {
    const { truth, causes } = this
    const itself: EndedBy = truth.died === true ? "signal" : "exit"
    const possible: Array<EndedBy | undefined> = causes.length > 0 ? [...causes] : [itself]
    if (truth.endAsked || truth.endWantedAt !== undefined) possible.push("terminate", itself)
    if (possible.includes(endedBy)) return undefined
    return `${reason}: ${truth.key} is told to have ended by ${endedBy}, and it was ${possible.join(" or ")}`
  }

  /** A time that has begun now must end it, unless `counts` says otherwise then, or it is over. */
  private expect(millis: number | undefined, counts = () => true): void {
    if (millis === undefined) return
    const at = this.world.now + millis
    this.world.after(millis + 1, () => {
      if (!counts() || this.isOver(at)) return
      if (this.askedAt === undefined || this.askedAt > at)
        this.wrong(inTime, `its time of ${millis} ms is over at ${at}, and nothing has asked it to end`)
    })
  }

  private graceIsOver(): void {
    const { truth, askedAt = 0, grace } = this
    const at = askedAt + grace
    const { exitedAt = Infinity, closingAt = Infinity, killedAt = Infinity } = truth
    if (closingAt <= at || killedAt <= at) return
    if (exitedAt > at || (this.lingers(at) && this.lingers(at + 1)))
      this.wrong(inTime, `what is left is not killed ${grace} ms after a signal`)
  }

  /** The times that have passed now. */
  private due(): ReadonlyArray<EndedBy> {
    const { spawnedAt = 0, pieces } = this.truth
    const { timeoutMs = Infinity, idleTimeoutMs = Infinity } = this.times
    const { now } = this.world
    const last = Math.max(spawnedAt, pieces.filter(({ at }) => at < now).at(-1)?.at ?? 0)
    return [
      ...(now >= spawnedAt + timeoutMs ? ["timeout" as const] : []),
      ...(now >= last + idleTimeoutMs ? ["idleTimeout" as const] : []),
    ]
  }

  private isOver(at: number): boolean {
    const { exitedAt = Infinity, closingAt = Infinity, killedAt = Infinity } = this.truth
    return this.truth.endAsked || Math.min(exitedAt, closingAt, killedAt) <= at
  }

  /** Descendants are there then. */
  private lingers(at: number): boolean {
    const { exitedAt, closingAt = Infinity } = this.truth
    return exitedAt !== undefined && at < closingAt && at < exitedAt + this.lingerMillis
  }

  private wrong(invariant: string, what: string): void {
    this.world.violate(invariant, `${this.truth.key}: ${what}`)
  }
}
