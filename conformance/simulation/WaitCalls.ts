/** Calls on a process that is waited for: waits, and terminates with a grace. */
import * as Effect from "effect/Effect"
import { guarded } from "./ProcessCalls.ts"
import type { Held, ProcessProgram } from "./ProcessProgram.ts"
import type { EndCall, WaitCall } from "./ProcessPlan.ts"

/** Runs one call at its time, if the process is held then. */
export const run = (program: ProcessProgram, call: WaitCall | EndCall): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Effect.sleep(call.at)
    const { held } = program
    if (held === undefined || program.over) return
    program.note(`calls ${call.kind}`)
    if (call.kind === "wait") return yield* wait(program, call, held)
    program.truth.endAsked = true
    const { graceMs } = call
    const ending = graceMs === undefined ? held.process.terminate : held.process.end({ graceMs })
    yield* guarded(program, call, held, ending)
  })

/** What it is told is judged where it leaves the server. */
const wait = (program: ProcessProgram, call: WaitCall, held: Held): Effect.Effect<void> => {
  const { until, last, timeoutMs, maxBytes } = call
  const { length } = program.truth.pieces
  const afterSeq = last === undefined ? undefined : last < 0 ? farAhead : Math.max(0, length - last)
  const given = Object.entries({ afterSeq, timeoutMs, maxBytes }).filter(([, value]) => value !== undefined)
  return guarded(program, call, held, held.process.wait({ until, ...Object.fromEntries(given) }))
}

/** A seq that no process of a run reaches. */
const farAhead = 2 ** 31
