/** The wait of a call for its command: for what `wait_for` names, or as long as its yield time says. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { ClientError } from "../client/ClientError.ts"
import type { Server } from "./ExecBackend.ts"
import * as Reading from "./Reading.ts"
import type { Session } from "./Session.ts"
import { graceMillis } from "./Sessions.ts"
import * as ToolError from "./ToolError.ts"
import type { MoreArguments } from "./Tools.ts"
import * as WaitFor from "./WaitFor.ts"

/** The time that a new command has to exit before its yield time begins, in milliseconds. */
export const earlyExitMillis = 150

/** The time that a program in a terminal has to respond to input before the yield time begins, in milliseconds. */
export const afterWriteMillis = 100

/** The wait for more output after the exit, in milliseconds: a descendant may hold the pipe for ever. */
export const afterExitMillis = 50

/** Bounds of the yield time in milliseconds, and (`usual`) the default of `exec_command`. */
export const yieldMillis = { least: 250, most: 30_000, usual: 10_000 }
/** Bounds of the yield time of `write_stdin` without characters, in milliseconds. */
export const pollMillis = { least: 5_000, most: 300_000 }

/** A yield time within its bounds. */
export const clamp = (asked: number, { least, most }: { readonly least: number; readonly most: number }) =>
  // Arguments from 2^53 on are bigint.
  Math.min(Math.max(Number(asked), least), Math.max(least, most))

/** Waits until the process has exited, for at most `millis`. */
export const untilExit = (session: Session, millis: number): Effect.Effect<void> =>
  Effect.asVoid(Effect.timeoutOption(session.exited.await, millis))

/**
 * Waits until the process has exited and its output is complete, or is late by `afterExitMillis`; at most `millis`.
 */
export const untilEnd = (session: Session, millis: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    yield* untilExit(session, millis)
    if (!session.over) return
    const left = start + millis - (yield* Clock.currentTimeMillis)
    yield* Effect.timeoutOption(session.closed.await, Math.max(0, Math.min(left, afterExitMillis)))
  })

/** The result of a fiber, or undefined after `millis`; the fiber goes on. */
export const untilDone = <A>(fiber: Fiber.Fiber<A>, millis: number): Effect.Effect<A | undefined> =>
  Effect.map(Effect.timeoutOption(Fiber.join(fiber), millis), Option.getOrUndefined)

/** Bounds of a wait for something in milliseconds, and the default. */
export const waitMillis = { least: 0, usual: 300_000, most: 3_600_000 }

/** The time that a command which did something else has until it is seen to ask for input, in milliseconds. */
const askMillis = 100

/**
 * The silence of a command that asks for input until that is reported, in milliseconds: input may be on its way through
 * the kernel, and so may the prompt.
 */
const settleMillis = 60

/** The most delays of that by output: a command may print for ever while it asks. */
const mostRounds = 10

/** The longest wait for events that the server has announced, in milliseconds. */
const arrivalMillis = 5_000

export interface Waiting {
  readonly waitFor: WaitFor.WaitFor
  /** Undefined if the exit is all, and the server need not be asked. */
  readonly plan: WaitFor.Plan | undefined
  readonly millis: number
}

/**
 * The wait that the arguments ask for; undefined for a call without new arguments, and as a failure what is wrong with
 * them. A `timeout_ms` asks to wait for the end.
 */
export const read = (
  { wait_for, timeout_ms, yield_time_ms }: MoreArguments,
  server: Server = {},
  longest = waitMillis.most,
): Result.Result<Waiting | undefined, string> => {
  if (wait_for === undefined && timeout_ms === undefined) return Result.succeed(undefined)
  const untilKilled = timeout_ms === undefined ? Infinity : Number(timeout_ms) + graceMillis.usual + 1_000
  const usual = wait_for === undefined ? untilKilled : Math.min(untilKilled, waitMillis.usual)
  const millis = clamp(yield_time_ms ?? usual, {
    least: waitMillis.least,
    most: Math.min(longest, waitMillis.most),
  })
  const waitFor = wait_for ?? { exit: true }
  if (server.processWait !== true && WaitFor.isForExitAlone(waitFor)) {
    return Result.succeed({ waitFor, plan: undefined, millis })
  }
  return Result.map(WaitFor.plan(waitFor, server), (plan) => ({ waitFor, plan, millis }))
}

/** Waits; only output behind `afterSeq` counts. All output that the server has counted has come then. */
export const run = (
  session: Session,
  { waitFor, plan, millis }: Waiting,
  afterSeq: number,
): Effect.Effect<WaitFor.WaitEnd, ToolError.ToolError> =>
  Effect.gen(function* () {
    if (plan === undefined) {
      yield* untilEnd(session, millis)
      return session.over ? exited : late(millis)
    }
    if (session.over) return exited
    const waited = yield* Effect.result(settled(session, plan, afterSeq, millis))
    if (Result.isFailure(waited)) return yield* failed(session, waited.failure)
    const result = waited.success
    yield* Effect.timeoutOption(session.arrived(result.nextSeq - 1), arrivalMillis)
    if (result.exited) yield* untilEnd(session, arrivalMillis)
    if (result.gap !== undefined && result.met === null) notSearched(session, waitFor)
    const end = WaitFor.toEnd(plan, result, millis)
    const isAnswer = end.by === "input" || (end.by === "timeout" && plan.kinds.includes("input"))
    if (session.over || isAnswer || !plan.tellsInput) return end
    const asking = settled(session, WaitFor.inputAlone, result.nextSeq - 1, askMillis)
    return yield* Effect.match(asking, {
      onSuccess: ({ evidence }) => ({ ...end, ...WaitFor.asksOf(evidence) }),
      onFailure: () => end,
    })
  })

/** Waits; the question for input is an answer only if it is still there after some silence. */
const settled = ({ process }: Session, { kinds, until }: WaitFor.Plan, afterSeq: number, millis: number) =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + millis
    let seen: number | undefined
    for (let round = 0; ; round += 1) {
      const left = Math.ceil(Math.max(0, end - (yield* Clock.currentTimeMillis)))
      const result = yield* process.wait({
        until,
        afterSeq,
        timeoutMs: left + (seen === undefined ? 0 : askMillis),
        maxBytes: 0,
      })
      const asks = result.met !== null && kinds[result.met] === "input"
      if (!asks || result.nextSeq === seen || round === mostRounds) return result
      seen = result.nextSeq
      yield* process.wait({
        until: [{ bytes: 1 }, { idleMs: settleMillis }],
        afterSeq: seen - 1,
        timeoutMs: 2 * settleMillis,
        maxBytes: 0,
      })
    }
  })

const exited: WaitFor.WaitEnd = { by: "exit", detail: "the command has exited" }
const late = (millis: number): WaitFor.WaitEnd => ({
  by: "timeout",
  detail: `nothing that was waited for came in ${millis} ms`,
})

/** A command that has ended, or whose connection has, needs no wait; all else is reported. */
const failed = (session: Session, error: ClientError) =>
  Effect.gen(function* () {
    yield* untilExit(session, earlyExitMillis)
    return session.over ? exited : yield* ToolError.notWaited(error)
  })

/** The server had output no longer when the wait began. */
const notSearched = (session: Session, { text, pattern }: WaitFor.WaitFor): void => {
  const grep = pattern ?? text?.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  if (grep === undefined) return
  const call = Reading.callText({ tool: "read_output", arguments: { session_id: session.id, grep } })
  session.notices = [
    ...session.notices,
    `The command printed so fast that the wait did not see its first output. To search all of it, call ${call}`,
  ]
}
