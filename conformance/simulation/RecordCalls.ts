/** What a process has printed is asked for again: by reads, as parts, as the last lines, as lines with a match. */
import * as Effect from "effect/Effect"
import type { GrepOptions, OutputPoint } from "../../core/client/RemoteProcess.ts"
import type { Actor } from "./Actor.ts"
import type { Children } from "./Children.ts"
import { grepFault } from "./GrepTruth.ts"
import { type Asked, beforeOf, linesOf, partFault } from "./HistoryTruth.ts"
import { check, guarded } from "./ProcessCalls.ts"
import type { RecordCall, RecordPlan, Spot } from "./ProcessPlan.ts"
import { type Held, ProcessProgram } from "./ProcessProgram.ts"
import { epoch } from "./World.ts"

const ordered = "no byte is lost, doubled or out of order"
const told = "a history is what was printed"

/** A process whose output is kept, and is asked for. */
export const programOf = (actor: Actor, plan: RecordPlan, children: Children): ProcessProgram =>
  new ProcessProgram(actor, plan, children.truth(plan.key), (program) =>
    plan.records.map((call) => run(program, call)),
  )

/** Runs one call at its time, if the process is held then; also when it is over. */
const run = (program: ProcessProgram, call: RecordCall): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Effect.sleep(call.at)
    const { held } = program
    if (held === undefined) return
    program.note(`calls ${call.kind}`)
    if (call.kind === "again") return yield* again(program, call, held)
    return yield* call.kind === "grep" ? grep(program, call, held) : parts(program, call, held)
  })

/** Page after page, by seq. */
const again = (program: ProcessProgram, call: RecordCall, held: Held) =>
  Effect.gen(function* () {
    const { truth } = program
    let afterSeq = Math.max(0, (pointOf(program, call.from)?.seq ?? 1) - 1)
    for (let page = 0; page < call.pages; page++) {
      const { pieces } = beforeOf(truth)
      const runs = truth.exitedAt === undefined && !truth.marked
      let next: number | undefined
      yield* guarded(program, call, held, held.process.read({ afterSeq, maxBytes: call.most }), (state) => {
        check(program, state, afterSeq)
        if (state.failure !== null) return
        if (runs && pieces > afterSeq && state.chunks.length === 0)
          program.violate(ordered, `a read after ${afterSeq} has nothing, and ${pieces} chunks were there`)
        if (state.chunks.length > 0) next = state.nextSeq - 1
      })
      if (next === undefined) return
      afterSeq = next
    }
  })

const parts = (program: ProcessProgram, call: RecordCall, held: Held) =>
  Effect.gen(function* () {
    const { truth } = program
    const to = pointOf(program, call.to)
    const end = { maxBytes: call.most, ...(to === undefined ? {} : { to }) }
    const from = pointOf(program, call.from)
    const begin = call.kind === "tail" ? { tail: call.lines } : from === undefined ? {} : { from }
    let asked: Asked = { ...end, ...begin }
    for (let page = 0; page < call.pages; page++) {
      const before = beforeOf(truth)
      let next: number | undefined
      yield* guarded(program, call, held, held.process.history(asked), (answer) => {
        const fault = partFault(truth, asked, before, answer)
        if (fault !== undefined) program.violate(told, `${fault}, of ${JSON.stringify(asked)}`)
        if (!answer.eof) next = answer.nextByte
      })
      if (next === undefined) return
      asked = { ...end, from: { byte: next } }
    }
  })

const grep = (program: ProcessProgram, call: RecordCall, held: Held) =>
  Effect.gen(function* () {
    const { truth } = program
    const [from, to] = [pointOf(program, call.from), pointOf(program, call.to)]
    const { pattern, literal, lines, most } = call
    const common: GrepOptions = {
      pattern,
      flags: literal ? "l" : "",
      maxMatches: Math.min(most, 3000),
      ...(lines % 3 === 0 ? { before: lines, after: lines >> 1 } : {}),
      ...(to === undefined ? {} : { to }),
    }
    let asked: GrepOptions = from === undefined ? common : { ...common, from }
    for (let page = 0; page < call.pages; page++) {
      const before = beforeOf(truth)
      let next: number | undefined
      yield* guarded(program, call, held, held.process.grep(asked), (answer) => {
        const fault = grepFault(truth, asked, before, answer)
        if (fault !== undefined) program.violate(told, `${fault}, of ${JSON.stringify(asked)}`)
        if (!answer.complete) next = answer.nextByte
      })
      if (next === undefined) return
      asked = { ...common, from: { byte: next } }
    }
  })

/** The point of a spot, by what there is now. */
const pointOf = ({ truth, actor }: ProcessProgram, spot: Spot | undefined): OutputPoint | undefined => {
  if (spot === undefined) return undefined
  const part = (whole: number) => Math.round((whole * spot.percent) / 100)
  const { spawnedAt = 0, total, pieces } = truth
  switch (spot.kind) {
    case "seq":
      return { seq: part(pieces.length) }
    case "byte":
      return { byte: part(total) }
    case "line":
      return { line: 1 + part(linesOf(truth.noise.bytes(0, total)).length - 1) }
    case "time":
      return { time: epoch + spawnedAt + part(actor.world.now - spawnedAt) }
  }
}
