/**
 * Holds the deadlines of one process to the truth, to the millisecond: a signal comes when a time has passed, once, and
 * never to a process that has ended; the kill comes after the grace, to what is left; the exit says what has ended it.
 */
import type { EndedBy } from "../../core/protocol/Ending.ts"
import type { WaitPlan } from "./WaitMaker.ts"
import type { Truth, Witness } from "./Truth.ts"
import type { World } from "./World.ts"

const inTime = "a deadline fires once and in time"
const early = "a deadline is never early"
const ended = "a deadline never fires for a process that ended"
const reason = "an exit tells what has ended it"

/** The grace of a start that names none, in milliseconds. */
const defaultGrace = 5000

export const make = (world: World, truth: Truth, { times, script: { lingerMillis } }: WaitPlan): Witness => {
  const grace = times.killGraceMs ?? defaultGrace
  /** When it was first asked to end, and for what; it may be either in a millisecond in which two times pass. */
  let askedAt: number | undefined
  let causes: ReadonlyArray<EndedBy> = []

  /** It is there: its times begin. */
  const spawned = (): void => {
    expect(times.timeoutMs)
    wrote()
  }

  /** It has written: its silence begins anew. */
  const wrote = (): void => {
    const { pieces } = truth
    const last = pieces.length
    expect(times.idleTimeoutMs, () => pieces.length === last)
  }

  const signalled = (name: string): void => {
    if (name === "SIGCONT") return
    if (truth.exitedAt !== undefined) wrong(ended, `${name} comes after its exit`)
    const passed = due()
    if (causes.length === 0) causes = passed
    if (truth.endAsked) return
    if (askedAt !== undefined) return wrong(inTime, `${name} comes again`)
    if (passed.length === 0) wrong(early, `${name} comes before its time`)
    askedAt = world.now
    world.after(grace + 1, graceIsOver)
  }

  const killed = (): void => {
    if (askedAt === undefined && grace === 0) causes = due()
    if (truth.endAsked || truth.endWantedAt !== undefined) return
    if (askedAt === undefined) {
      if (truth.exitedAt !== undefined) wrong(ended, "it is killed after its exit")
      if (causes.length === 0) wrong(early, "it is killed before its time")
      return
    }
    if (world.now !== askedAt + grace) wrong(early, `it is killed ${world.now - askedAt} ms after a signal`)
    if (truth.exitedAt !== undefined && !lingers(world.now))
      wrong(ended, "it is killed, and nothing is left of it")
  }

  /** The fault in the words of its exit; undefined if they are right. */
  const endFault = (endedBy: EndedBy | undefined): string | undefined => {
    const itself: EndedBy = truth.died === true ? "signal" : "exit"
    const possible: Array<EndedBy | undefined> = causes.length > 0 ? [...causes] : [itself]
    if (truth.endAsked || truth.endWantedAt !== undefined) possible.push("terminate", itself)
    if (possible.includes(endedBy)) return undefined
    return `${reason}: ${truth.key} is told to have ended by ${endedBy}, and it was ${possible.join(" or ")}`
  }

  /** A time that has begun now must end it, unless `counts` says otherwise then, or it is over. */
  const expect = (millis: number | undefined, counts = () => true): void => {
    if (millis === undefined) return
    const at = world.now + millis
    world.after(millis + 1, () => {
      if (!counts() || isOver(at)) return
      if (askedAt === undefined || askedAt > at)
        wrong(inTime, `its time of ${millis} ms is over at ${at}, and nothing has asked it to end`)
    })
  }

  const graceIsOver = (): void => {
    const at = (askedAt ?? 0) + grace
    const { exitedAt = Infinity, closingAt = Infinity, killedAt = Infinity } = truth
    if (closingAt <= at || killedAt <= at) return
    if (exitedAt > at || (lingers(at) && lingers(at + 1)))
      wrong(inTime, `what is left is not killed ${grace} ms after a signal`)
  }

  /** The times that have passed now. */
  const due = (): ReadonlyArray<EndedBy> => {
    const { spawnedAt = 0, pieces } = truth
    const { timeoutMs = Infinity, idleTimeoutMs = Infinity } = times
    const { now } = world
    const last = Math.max(spawnedAt, pieces.filter(({ at }) => at < now).at(-1)?.at ?? 0)
    return [
      ...(now >= spawnedAt + timeoutMs ? ["timeout" as const] : []),
      ...(now >= last + idleTimeoutMs ? ["idleTimeout" as const] : []),
    ]
  }

  const isOver = (at: number): boolean => {
    const { exitedAt = Infinity, closingAt = Infinity, killedAt = Infinity } = truth
    return truth.endAsked || Math.min(exitedAt, closingAt, killedAt) <= at
  }

  /** Descendants are there then. */
  const lingers = (at: number): boolean => {
    const { exitedAt, closingAt = Infinity } = truth
    return exitedAt !== undefined && at < closingAt && at < exitedAt + lingerMillis
  }

  const wrong = (invariant: string, what: string): void => {
    world.violate(invariant, `${truth.key}: ${what}`)
  }
  return { spawned, wrote, signalled, killed, endFault }
}
