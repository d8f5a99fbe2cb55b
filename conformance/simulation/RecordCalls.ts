/** Asks again for the output of a process: by reads, as parts, as the last lines, as lines with a match. */
import * as Effect from "effect/Effect"
import type { ClientError } from "../../core/client/ClientError.ts"
import type { GrepOptions, OutputPoint } from "../../core/client/RemoteProcess.ts"
import { type Asked, type Before, beforeOf, grepFault, linesOf, partFault } from "./HistoryTruth.ts"
import type { RecordCall, Spot } from "./RecordMaker.ts"
import { check, guarded } from "./ProcessCalls.ts"
import type { Held, ProcessProgram } from "./ProcessProgram.ts"
import type { Truth } from "./Truth.ts"
import { epoch } from "./World.ts"

const ordered = "no byte is lost, doubled or out of order"
const told = "a history is what was printed"

/** Makes one call, also on a process that is over. */
export const call = (program: ProcessProgram, call: RecordCall, held: Held): Effect.Effect<void> => {
  if (call.kind === "again") return again(program, call, held)
  return call.kind === "grep" ? grep(program, call, held) : parts(program, call, held)
}

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

/** Page after page of a history or of a search: each begins at the byte where the one before has ended. */
const pages = <Asked extends object, Answer extends { readonly nextByte: number }>(
  program: ProcessProgram,
  call: RecordCall,
  held: Held,
  [first, common]: readonly [first: Asked, common: Asked],
  ask: (asked: Asked) => Effect.Effect<Answer, ClientError>,
  faultOf: (truth: Truth, asked: Asked, before: Before, answer: Answer) => string | undefined,
  isLast: (answer: Answer) => boolean,
) =>
  Effect.gen(function* () {
    let asked = first
    for (let page = 0; page < call.pages; page++) {
      const before = beforeOf(program.truth)
      let next: number | undefined
      yield* guarded(program, call, held, ask(asked), (answer) => {
        const fault = faultOf(program.truth, asked, before, answer)
        if (fault !== undefined) program.violate(told, `${fault}, of ${JSON.stringify(asked)}`)
        if (!isLast(answer)) next = answer.nextByte
      })
      if (next === undefined) return
      asked = { ...common, from: { byte: next } }
    }
  })

const parts = (program: ProcessProgram, call: RecordCall, held: Held) =>
  Effect.suspend(() => {
    const to = pointOf(program, call.to)
    const from = pointOf(program, call.from)
    const end: Asked = { maxBytes: call.most, ...(to === undefined ? {} : { to }) }
    const begin = call.kind === "tail" ? { tail: call.lines } : from === undefined ? {} : { from }
    const { history } = held.process
    return pages(program, call, held, [{ ...end, ...begin }, end], history, partFault, ({ eof }) => eof)
  })

const grep = (program: ProcessProgram, call: RecordCall, held: Held) =>
  Effect.suspend(() => {
    const [from, to] = [pointOf(program, call.from), pointOf(program, call.to)]
    const { pattern, literal, lines, most } = call
    const common: GrepOptions = {
      pattern,
      flags: literal ? "l" : "",
      maxMatches: Math.min(most, 3000),
      ...(lines % 3 === 0 ? { before: lines, after: lines >> 1 } : {}),
      ...(to === undefined ? {} : { to }),
    }
    const first = from === undefined ? common : { ...common, from }
    const search = held.process.grep
    return pages(program, call, held, [first, common], search, grepFault, ({ complete }) => complete)
  })

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
