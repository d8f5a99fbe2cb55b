/** Calls on a process at their times: writes, reads, long polls, signals and the end. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Option from "effect/Option"
import type { ClientError } from "../../core/client/ClientError.ts"
import type { ReadResult } from "../../core/protocol/Process.ts"
import { answerBound } from "./Network.ts"
import type { ProcessCall } from "./Plan.ts"
import type { Calls, Held, ProcessProgram } from "./ProcessProgram.ts"
import type { EndCall, WaitCall } from "./WaitMaker.ts"
import { isRefused } from "./WriterCalls.ts"

/** Makes each call at its time, if the process is held then; those of `late` also when it is over. */
export const atTheirTimes =
  <C extends { readonly at: number; readonly kind: string }>(
    calls: ReadonlyArray<C>,
    make: (program: ProcessProgram, call: C, held: Held) => Effect.Effect<void>,
    late = false,
  ): Calls =>
  (program) =>
    calls.map((call) =>
      Effect.gen(function* () {
        yield* Effect.sleep(call.at)
        const { held } = program
        if (held === undefined || (program.over && !late)) return
        program.note(`calls ${call.kind}`)
        yield* make(program, call, held)
      }),
    )

export const call = (program: ProcessProgram, call: ProcessCall, held: Held): Effect.Effect<void> => {
  const { process } = held
  switch (call.kind) {
    case "poll":
      return poll(program, call, held)
    case "read":
      return read(program, call, held, 0)
    case "write":
      return write(program, call, held)
    case "terminate":
      program.truth.endAsked = true
      return guarded(program, call, held, process.terminate, () => {
        program.truth.endWantedAt ??= program.actor.world.now
      })
    case "interrupt":
      return guarded(program, call, held, process.interrupt)
    case "closeStdin":
      return guarded(program, call, held, process.closeStdin)
    case "resize":
      return guarded(program, call, held, process.resize({ rows: 10, columns: 20 }))
  }
}

/** Waits for a process, whose answer is judged where it leaves the server, or ends it with a grace. */
export const waitOrEnd = (
  program: ProcessProgram,
  call: WaitCall | EndCall,
  held: Held,
): Effect.Effect<void> => {
  const { truth } = program
  if (call.kind === "end") {
    truth.endAsked = true
    const { graceMs } = call
    const ending = graceMs === undefined ? held.process.terminate : held.process.end({ graceMs })
    return guarded(program, call, held, ending)
  }
  const { until, last, timeoutMs, maxBytes } = call
  const behind = (count: number) => (count < 0 ? farAhead : Math.max(0, truth.pieces.length - count))
  const afterSeq = last === undefined ? undefined : behind(last)
  const given = Object.entries({ afterSeq, timeoutMs, maxBytes }).filter(([, value]) => value !== undefined)
  return guarded(program, call, held, held.process.wait({ until, ...Object.fromEntries(given) }))
}

/** The members of every call. */
interface Call {
  readonly kind: string
  readonly patience: number
}

/** Makes a call, gives it up after its patience, and judges its failure. */
export const guarded = <A>(
  program: ProcessProgram,
  call: Call,
  held: Held,
  effect: Effect.Effect<A, ClientError>,
  use: (value: A) => void = () => {},
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const since = program.since(held.live)
    const result = yield* Effect.result(Effect.timeoutOption(effect, call.patience))
    if (Result.isSuccess(result)) {
      if (Option.isNone(result.success)) return program.note(`gives up ${call.kind}`)
      program.note(`${call.kind} is answered`)
      return use(result.success.value)
    }
    const error = result.failure
    program.note(`${call.kind} fails: ${error.reason} ${error.message}`)
    if (excused(program, call, error, held)) return
    program.excuse(error, since, call.kind)
  })

const excused = (
  { truth, plan, over, actor }: ProcessProgram,
  call: Call,
  error: ClientError,
  { sessionId }: Held,
): boolean => {
  if (error.reason === "SessionLost") return actor.sessionId !== sessionId
  if (error.reason === "StdinClosed")
    return !plan.script.stdin || truth.exitedAt !== undefined || closesStdin(plan)
  // A process that the server has forgotten, or one that was terminated.
  if (error.reason === "UnknownProcess") return truth.closed || over
  if (error.reason !== "Server") return false
  if (call.kind === "resize" && !plan.script.pty) return true
  return (
    truth.closed ||
    truth.endAsked ||
    // Perhaps by its client, which has lost events that the program has yet to hear of.
    truth.killedAt !== undefined ||
    (truth.roles !== undefined && isRefused(error)) ||
    truth.endWantedAt !== undefined ||
    /too much waits for stdin/.test(error.message)
  )
}

const closesStdin = ({ calls }: ProcessProgram["plan"]) => calls.some(({ kind }) => kind === "closeStdin")

/** The first two bytes of a write are its number. */
const write = (program: ProcessProgram, call: ProcessCall, held: Held) => {
  const number = program.plan.calls.indexOf(call)
  const bytes = new Uint8Array(Math.max(2, call.bytes))
  bytes[0] = number >> 8
  bytes[1] = number & 255
  const { truth, actor } = program
  truth.asked.push({ number, lost: actor.network.lost(actor.index) })
  return guarded(program, call, held, held.process.write(bytes), () => {
    truth.accepted.set(number, actor.world.now)
  })
}

const read = (program: ProcessProgram, call: ProcessCall, held: Held, afterSeq: number) =>
  guarded(
    program,
    call,
    held,
    held.process.read({ afterSeq, ...(call.bytes > 0 ? { maxBytes: call.bytes } : {}) }),
    (state) => check(program, state, afterSeq),
  )

/** Polls until closed was reported twice, the second time without waiting, or until the call fails. */
const poll = (program: ProcessProgram, call: ProcessCall, held: Held) =>
  Effect.gen(function* () {
    const { world } = program.actor
    let after = 0
    let ends = 0
    for (let more = true; more && (ends > 0 || !program.over);) {
      more = false
      const from = world.now
      const options = {
        afterSeq: after,
        waitMs: call.wait,
        ...(call.bytes > 0 ? { maxBytes: call.bytes } : {}),
      }
      const late = world.after(call.wait + answerBound, () => checkSmooth(program, from, "after its time"))
      yield* guarded(program, call, held, held.process.read(options), (state) => {
        const news = Math.max(from, newsAfter(program, after))
        if (world.now - news > answerBound) checkSmooth(program, news, "although there was news")
        check(program, state, after)
        const idle = state.chunks.length === 0 && !state.closed && state.nextSeq - 1 <= after
        // guards: long-poll
        if (idle && world.now - from < call.wait && state.failure === null)
          program.violate("a long poll waits", `it is answered without news after ${world.now - from} ms`)
        after = Math.max(after, state.nextSeq - 1)
        if (state.closed) ends += 1
        more = ends < 2 && state.failure === null
      })
      late()
      if (call.wait < 1000) yield* Effect.sleep(1000)
    }
  })

/** A read is late, which is the network's fault unless nothing was wrong with it since then. */
const checkSmooth = (program: ProcessProgram, since: number, how: string): void => {
  const { network, index, settings } = program.actor
  // Polls may take every slot, and delay each other.
  if (settings.concurrentRequests < 1024) return
  if (network.isSmooth(index, since))
    program.violate("a long poll is answered", `it still waits ${how}, since ${since}`)
}

/** When the first chunk after a seq was written, or everything was over; Infinity if there is no news. */
const newsAfter = ({ truth }: ProcessProgram, seq: number): number => {
  const told = truth.exitedSeq !== undefined && truth.exitedSeq <= seq
  const over = truth.closed ? Math.max(truth.exitedAt ?? 0, truth.endedAt ?? 0) : Infinity
  return Math.min(truth.pieces[told ? seq - 1 : seq]?.at ?? Infinity, over)
}

export const check = (program: ProcessProgram, state: ReadResult, afterSeq: number): void => {
  const { truth, actor } = program
  if (state.failure !== null) return
  const { retainedBytes: bytes, retainedChunks: chunks } = actor.settings
  let expected = afterSeq + 1
  const marks = new Set(state.marks?.map(({ seq }) => seq))
  for (const { seq, ...mark } of state.marks ?? []) {
    const fault = truth.markFault(seq, mark)
    if (fault !== undefined) program.violate("no byte is lost, doubled or out of order", `a read: ${fault}`)
  }
  for (const { seq, stream, chunk } of state.chunks) {
    if (seq < expected) program.violate("no byte is lost, doubled or out of order", `a read has ${seq} again`)
    for (; expected < seq; expected++)
      if (
        !marks.has(expected) &&
        !truth.mayBeGone(expected, { bytes, chunks }) &&
        !mayBeExit(program, expected)
      )
        program.violate("no byte is lost, doubled or out of order", `a read lacks seq ${expected}`)
    const fault = truth.fault(seq, stream, chunk)
    if (fault !== undefined) program.violate("no byte is lost, doubled or out of order", `a read: ${fault}`)
    expected = seq + 1
  }
  // guards: closed
  if (state.exited && truth.exitedAt === undefined)
    program.violate("exited is told once and in order", "a read tells an exit, and the child runs")
  if (state.exited && state.exitCode !== truth.exitCode)
    program.violate("exited is told once and in order", `a read tells exit code ${state.exitCode}`)
  if (state.closed && !truth.closed)
    program.violate("exited is told once and in order", "a read tells closed, and streams are open")
}

/** True if the exit may have that seq: a read does not tell it. */
const mayBeExit = ({ truth }: ProcessProgram, seq: number): boolean =>
  truth.exitedAt !== undefined && (truth.exitedSeq ?? seq) === seq

/** A seq that no process of a run reaches. */
const farAhead = 2 ** 31
