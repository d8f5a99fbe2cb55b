/** Histories and Grep, where output leaves a history that somebody reads. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Clock from "effect/Clock"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import * as Pattern from "../../pattern/Pattern.ts"
import * as Fork from "../../protocol/Fork.ts"
import * as LongPoll from "../../process/LongPoll.ts"
import { make, pipe } from "../../process/testing/Registry.ts"
import { defaults } from "../../protocol/Limits.ts"
import { effect, settle } from "../../testing/Effects.ts"
import * as Features from "../Features.ts"
import * as Pictures from "../screen/Pictures.ts"
import { linux } from "../testing/Linux.ts"
import { Marks } from "../marks/Marks.ts"
import { Process } from "../../process/Process.ts"
import { Budget } from "./Budget.ts"
import * as Grep from "./Grep.ts"
import { Histories, keptIn } from "./server.ts"
import { history } from "./feature.ts"
import { HistoryFiles, portableIndexOf } from "./HistoryFiles.ts"
import * as MemoryFiles from "./MemoryFiles.ts"
import { toPool } from "./Batch.ts"
import { leastBytes } from "./wire.ts"

/**
 * A process that keeps so many bytes in its log, and has printed so many lines of 1,024 bytes, which are marks if there
 * are any.
 */
const printed = (bytes: number, lines: number, marked = false) =>
  Effect.gen(function* () {
    const services = {
      files: MemoryFiles.make(),
      budget: new Budget(Infinity),
      clock: yield* Clock.Clock,
      memory: toPool(),
    }
    const histories = new Histories(services)
    const stdio = { kind: "pipe", stdin: false } as const
    const process = new Process("p", { stdio }, { bytes, chunks: 50_000 })
    const own = marked ? new Marks(process) : undefined
    const { output } = own?.around(process.events) ?? process.events
    const text = (line: number) =>
      marked ? `${" ".repeat(1016)}\x1b]133;A\x07` : `${String(line).padEnd(1023)}\n`
    const session = yield* Scope.make()
    const fork = yield* Scope.provide(Fork.inScope, session)
    const history = histories.begin(process, leastBytes, { fork, scope: session })
    const marks = own && { own, readFields: (...seqs: [number, number]) => ({ marks: own.between(...seqs) }) }
    process.extend({ ...marks, kept: keptIn(history) })
    yield* history.isOpen
    process.release()
    for (let line = 1; line <= lines; line++) {
      output("stdout", new TextEncoder().encode(text(line)))
      if (line % 16 === 0) yield* history.written(process.log.nextSeq() - 1)
    }
    yield* history.written(process.log.nextSeq() - 1)
    return { histories, history, process, end: Scope.close(session, Exit.void) }
  })

describe("a history", () => {
  it(
    "is not told to be all of a process that closes while it is read",
    effect(function* () {
      for (let turns = 0; turns < 30; turns += 1) {
        const { histories, process, end } = yield* printed(65_536, 40)
        const answer = yield* Effect.forkChild(histories.part(process, { maxBytes: 1_000_000 }))
        yield* Effect.repeat(Effect.yieldNow, { times: turns })
        process.events.output("stdout", new TextEncoder().encode("the last line\n"))
        for (const stream of ["stdout", "stderr"] as const) process.events.end(stream)
        process.events.exit({ kind: "exited", code: 0 })
        expect(process.closed).toBeDefined()
        const { closed, eof, nextByte } = yield* Fiber.join(answer)
        if (closed) expect([eof, nextByte]).toEqual([true, process.log.written()])
        yield* end
      }
    }),
  )

  it(
    "holds up a start while its folder is made, and gives the place of one back that is cancelled meanwhile",
    effect(function* () {
      const files = { ...MemoryFiles.make(), make: Effect.never }
      const limits = { ...defaults, processes: 1 }
      yield* Features.loaded
      const shared = { limits, pictures: yield* Pictures.make }
      const { extend } = yield* Effect.provideService(history(shared), HistoryFiles, files)
      const recorded = { extend: extend?.({ history: { maxBytes: leastBytes } }, linux) }
      const { registry, fake } = yield* make({}, { limits })
      const start = yield* Effect.forkChild(Effect.flip(registry.start("p", pipe, recorded)))
      yield* settle
      expect(fake.children).toHaveLength(0)
      expect(yield* Effect.flip(registry.start("q", pipe))).toMatchObject({ limit: "processes" })
      expect(yield* registry.terminate("p")).toBe(true)
      expect(yield* Fiber.join(start)).toMatchObject({ reason: "StartCancelled" })
      yield* settle
      expect(yield* registry.start("q", pipe)).toMatchObject({ id: "q" })
    }),
  )

  it(
    "hides nothing that the log has in front of it from a read",
    effect(function* () {
      const { history, process, end } = yield* printed(leastBytes, 3000)
      const oldest = process.log.after(0)?.seq ?? 0
      expect(history.kept[0]?.first.seq).toBeGreaterThan(oldest)
      const request = { afterSeq: 0, maxBytes: Infinity, waitMillis: 0 }
      const { chunks } = yield* LongPoll.read(process, request)
      expect(chunks.map(({ seq }) => seq)).toEqual(
        Array.from({ length: 3000 - oldest + 1 }, (_, index) => oldest + index),
      )
      yield* end
    }),
  )

  it(
    "keeps the marks of what it has, and not for longer",
    effect(function* () {
      const { history, process, end } = yield* printed(65_536, 3000, true)
      const oldest = history.kept[0]?.first.seq ?? 0
      expect(oldest).toBeGreaterThan(1)
      expect(process.log.after(0)?.seq).toBeGreaterThan(oldest + 1000)
      const request = { afterSeq: oldest - 1, maxBytes: Infinity, waitMillis: 0 }
      const state = yield* LongPoll.read(process, request)
      const seqs = [...state.chunks, ...(state.marks ?? [])].map(({ seq }) => seq)
      expect(seqs.sort((one, other) => one - other)).toEqual(
        Array.from({ length: 6000 - oldest + 1 }, (_, index) => oldest + index),
      )
      expect(process.extension?.own?.count(0, 6001)).toBeLessThan(2500)
      yield* end
    }),
  )

  it(
    "tells of no line that was dropped while it was searched, and of the others what is so",
    effect(function* () {
      const { history, end } = yield* printed(65_536, 900)
      const [first, second] = history.kept
      expect(first?.first.line).toBe(0)
      let dropped = false
      const source = {
        folder: history.folder,
        end: history.end,
        get kept() {
          return dropped ? history.kept.slice(1) : history.kept
        },
      }
      const pattern = Result.getOrThrow(Pattern.compile("5", "ml"))
      const request = {
        pattern,
        from: 0,
        to: Infinity,
        before: 0,
        after: 0,
        maxMatches: 10_000,
        isOver: false,
      }
      const page = yield* Grep.search(source, request, (...asked) => {
        dropped = true
        return portableIndexOf(...asked)
      })
      const lines = page.matches.map(({ line }) => line)
      const from = (second?.first.line ?? 0) + 1
      const wanted = Array.from({ length: 900 }, (_, index) => index + 1)
      expect(lines).toEqual(wanted.filter((line) => line >= from && String(line).includes("5")))
      expect(page.matches.every(({ text, line }) => text.startsWith(`${line} `))).toBe(true)
      yield* end
    }),
  )
})
