import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { defaults } from "../../protocol/Limits.ts"
import * as Fake from "../../spawn/Fake.ts"
import { Spawner, type SpawnSpec } from "../../spawn/Spawner.ts"
import { effect, pass, settle } from "../../testing/Effects.ts"
import * as ProcessRegistry from "../../process/ProcessRegistry.ts"
import { history } from "../history/feature.ts"
import { HistoryFiles } from "../history/HistoryFiles.ts"
import * as MemoryFiles from "../history/MemoryFiles.ts"
import { leastBytes } from "../history/wire.ts"
import { pipe } from "../../process/testing/Registry.ts"
import { linux } from "../testing/Linux.ts"
import * as Scroll from "../testing/Scroll.ts"
import { mostCells, pieceBytes } from "./Feed.ts"
import * as Fork from "../../protocol/Fork.ts"
import * as Pictures from "./Pictures.ts"
import * as Screens from "./Screens.ts"
import { Terminals } from "./Terminals.ts"
import * as Features from "../Features.ts"

const pty = (rows = 4, columns = 60): SpawnSpec => ({
  ...pipe,
  stdio: { kind: "pty", size: { rows, columns } },
})

/** A registry over such terminals; `opened` are all that were opened. */
const make = (change: Partial<typeof defaults> = {}, disk: MemoryFiles.Options = {}) =>
  Effect.gen(function* () {
    const fake = yield* Fake.make({})
    const spawner = yield* Effect.provide(Spawner, fake.layer)
    const { opened, how, service } = Scroll.make()
    const limits = { ...defaults, ...change }
    const screens = new Screens.Screens(service, yield* Fork.inScope)
    const registry = yield* ProcessRegistry.make(spawner, { ...ProcessRegistry.defaultOptions, limits })
    yield* Features.loaded
    const pictures = yield* Effect.provideService(Pictures.make, Terminals, service)
    const shared = { limits, pictures }
    const histories = yield* Effect.provideService(history(shared), HistoryFiles, MemoryFiles.make(disk))
    const recorded = histories.extend?.({ history: { maxBytes: leastBytes } }, linux)
    const begin = (id: string, spec = pty(), asked: ProcessRegistry.Asked = {}) =>
      Effect.gen(function* () {
        const process = yield* registry.start(id, spec, asked)
        process.release()
        return { process, child: yield* fake.next }
      })
    const ask = (id: string, request: Partial<Screens.ScreenRequest> = {}) =>
      Effect.flatMap(registry.find(id), (process) =>
        screens.of(process, { seq: undefined, formats: ["text"], scrollback: 0, ...request }),
      )
    return { registry, screens, opened, how, begin, ask, recorded }
  })

describe("Screens", () => {
  it(
    "opens a terminal for the first request, and feeds it what comes later",
    effect(function* () {
      const { begin, ask, opened } = yield* make()
      const { child } = yield* begin("p")
      child.output("pty", "one ")
      yield* settle
      expect(opened).toHaveLength(0)
      expect(yield* ask("p")).toMatchObject({
        text: "one",
        seq: 1,
        fromSeq: 1,
        size: { rows: 4, columns: 60 },
      })
      child.output("pty", "two")
      yield* settle
      expect(opened.map(({ text }) => text)).toEqual(["one two"])
      expect(yield* ask("p")).toMatchObject({ text: "one two", seq: 2, fromSeq: 1 })
      expect(opened).toHaveLength(1)
    }),
  )

  it(
    "answers while a flood goes on, behind which the terminal always is",
    effect(function* () {
      const { begin, ask, how } = yield* make()
      const { child } = yield* begin("p")
      child.output("pty", "first ")
      yield* ask("p")
      const piece = "x".repeat(pieceBytes)
      let left = 200
      how.work = Effect.callback<void>((done) => {
        if (left-- > 0) child.output("pty", piece)
        setTimeout(() => done(Effect.void), 0)
      })
      for (let ahead = 0; ahead < 3; ahead += 1) child.output("pty", piece)
      while (left === 200) yield* Effect.yieldNow
      yield* ask("p")
      expect(left).toBeGreaterThan(100)
    }),
  )

  it(
    "shows some of a flood that is gone before the terminal takes it in",
    effect(function* () {
      const { begin, ask, how } = yield* make({ retainedChunks: 2 })
      const { child } = yield* begin("p")
      const flood = (chunks: number) => {
        for (let n = 0; n < chunks; n += 1) child.output("pty", "x".repeat(pieceBytes))
      }
      let floods = 20
      how.work = Effect.sync(() => flood(floods-- > 0 ? 3 : 0))
      flood(3)
      const { text = "", seq, fromSeq } = yield* ask("p")
      expect(seq).toBeGreaterThanOrEqual(fromSeq)
      expect(text).toMatch(/^x+$/)
    }),
  )

  it(
    "paints the past in a terminal of its own, up to the seq that is asked for",
    effect(function* () {
      const { begin, ask, opened } = yield* make()
      const { child } = yield* begin("p")
      for (const text of ["a", "b", "c"]) child.output("pty", text)
      expect(yield* ask("p", { seq: 2 })).toMatchObject({ text: "ab", seq: 2 })
      expect(yield* ask("p", { seq: 99 })).toMatchObject({ text: "abc", seq: 3 })
      expect(yield* ask("p", { seq: 1 })).toMatchObject({ text: "a", seq: 1 })
      expect(yield* ask("p", { seq: 0 })).toMatchObject({ text: "", seq: 0 })
      expect(opened.map(({ disposed }) => disposed)).toEqual([false, true, true])
    }),
  )

  it(
    "changes the size between the output before and after a resize, also when it paints the past",
    effect(function* () {
      const { registry, begin, ask } = yield* make()
      const { child } = yield* begin("p")
      child.output("pty", "a")
      yield* registry.resize("p", { rows: 4, columns: 70 })
      child.output("pty", "b")
      yield* registry.resize("p", { rows: 4, columns: 75 })
      yield* registry.resize("p", { rows: 4, columns: 80 })
      child.output("pty", "c")
      expect(yield* ask("p")).toMatchObject({ text: "a<70>b<80>c", size: { columns: 80 } })
      yield* registry.resize("p", { rows: 4, columns: 90 })
      expect(yield* ask("p")).toMatchObject({ text: "a<70>b<80>c<90>", size: { columns: 90 } })
      expect(yield* ask("p", { seq: 2 })).toMatchObject({ text: "a<70>b<80>", size: { columns: 80 } })
    }),
  )

  it(
    "begins with the oldest output that is retained, and says with which seq that is",
    effect(function* () {
      const { begin, ask } = yield* make({ retainedChunks: 2 })
      const { child } = yield* begin("p")
      for (const text of ["a", "b", "c", "d"]) child.output("pty", text)
      expect(yield* ask("p")).toMatchObject({ text: "cd", seq: 4, fromSeq: 3 })
      expect(yield* Effect.flip(ask("p", { seq: 2 }))).toMatchObject({
        _tag: "ScreenError",
        reason: "Evicted",
      })
      // It falls behind, and begins anew.
      for (const text of ["e", "f", "g"]) child.output("pty", text)
      expect(yield* ask("p")).toMatchObject({ text: "fg", seq: 7, fromSeq: 6 })
    }),
  )

  it(
    "paints from the history what the log no longer has, with the sizes of that time, now and in the past",
    effect(function* () {
      const { registry, begin, ask, recorded, opened } = yield* make({ retainedChunks: 2 })
      const { child, process } = yield* begin("p", pty(), { extend: recorded })
      for (const text of ["a", "b"]) child.output("pty", text)
      yield* registry.resize("p", { rows: 4, columns: 70 })
      for (const text of ["c", "d", "e"]) child.output("pty", text)
      yield* pass(100)
      expect(process.log.after(0)?.seq).toBeGreaterThan(2)
      const whole = { text: "ab<70>cde", seq: 5, fromSeq: 1 }
      expect(yield* ask("p")).toMatchObject(whole)
      expect(yield* ask("p", { seq: 3 })).toMatchObject({ text: "ab<70>c", seq: 3, fromSeq: 1 })
      expect(yield* ask("p", { seq: 2 })).toMatchObject({ text: "ab<70>", seq: 2 })
      expect(yield* ask("p", { seq: 1 })).toMatchObject({ text: "a", seq: 1, size: { columns: 60 } })
      expect(yield* ask("p")).toMatchObject(whole)
      expect(opened[0]?.disposed).toBe(false)
    }),
  )

  it(
    "begins with the oldest output that the history has, if that was dropped too",
    effect(function* () {
      const { begin, ask, recorded } = yield* make({ retainedChunks: 2 })
      const { child } = yield* begin("p", pty(), { extend: recorded })
      const piece = "x".repeat(60_000)
      for (let n = 0; n < 60; n++) {
        child.output("pty", `${n}${piece}`)
        yield* pass(30)
      }
      const { text = "", fromSeq } = yield* ask("p")
      expect(fromSeq).toBeGreaterThan(1)
      expect(fromSeq).toBeLessThan(58)
      const kept = Array.from({ length: 61 - fromSeq }, (_, at) => `${at + fromSeq - 1}${piece}`)
      expect(text === kept.join("")).toBe(true)
      expect(yield* Effect.flip(ask("p", { seq: fromSeq - 1 }))).toMatchObject({
        reason: "Evicted",
        message: expect.stringContaining(`begins with seq ${fromSeq}`),
      })
    }),
  )

  it(
    "begins with what the log has if the history cannot be read or written",
    effect(function* () {
      const { begin, ask, recorded } = yield* make({ retainedChunks: 2 }, { capacity: () => 0 })
      const { child } = yield* begin("p", pty(), { extend: recorded })
      for (const text of ["a", "b", "c"]) child.output("pty", text)
      yield* pass(100)
      expect(yield* ask("p")).toMatchObject({ text: "bc", fromSeq: 2 })
    }),
  )

  it(
    "begins anew where a terminal keeps too much",
    effect(function* () {
      const { begin, ask } = yield* make({ retainedBytes: 2 ** 22 })
      const { child } = yield* begin("p")
      child.output("pty", `heavy${"x".repeat(2 ** 20 - 5)}`)
      const { seq } = yield* ask("p")
      child.output("pty", "light")
      expect(yield* ask("p")).toMatchObject({ text: "light", seq: seq + 1, fromSeq: seq + 1 })
    }),
  )

  it(
    "gives the terminal back when nobody has asked for a while, and paints it again for the next",
    effect(function* () {
      const { begin, ask, opened } = yield* make()
      const { child, process } = yield* begin("p")
      child.output("pty", "one ")
      yield* ask("p")
      expect(process.subscribers).toBe(1)
      yield* pass(Screens.idleMillis - 1)
      yield* ask("p")
      yield* pass(Screens.idleMillis - 1)
      expect(opened.map(({ disposed }) => disposed)).toEqual([false])
      yield* pass(1)
      expect(opened.map(({ disposed }) => disposed)).toEqual([true])
      expect(process.subscribers).toBe(0)
      child.output("pty", "two")
      expect(yield* ask("p")).toMatchObject({ text: "one two" })
      expect(opened).toHaveLength(2)
    }),
  )

  it(
    "has few terminals at once: the one that was not asked for the longest time makes room",
    effect(function* () {
      const { begin, ask, opened } = yield* make()
      const ids = Array.from({ length: Screens.mostFollowing + 1 }, (_, index) => `p${index}`)
      for (const id of ids) yield* begin(id)
      for (const id of ids.slice(0, -1)) yield* ask(id)
      yield* ask("p0")
      yield* ask(ids.at(-1) ?? "")
      yield* settle
      expect(opened.flatMap(({ disposed }, index) => (disposed ? [index] : []))).toEqual([1])
      expect(yield* ask("p1")).toMatchObject({ seq: 0 })
    }),
  )

  it(
    "never pauses the child, and lets others run while it feeds",
    effect(function* () {
      const { begin, ask } = yield* make()
      const { child, process } = yield* begin("p")
      for (let count = 0; count < 16; count++) child.output("pty", "x".repeat(65_536))
      const asking = yield* Effect.forkChild(ask("p"))
      yield* Effect.yieldNow
      expect(asking.pollUnsafe()).toBeUndefined()
      expect(process.readers.pauses).toBe(0)
      expect(yield* Fiber.join(asking)).toMatchObject({ seq: 16, fromSeq: 1 })
    }),
  )

  it(
    "loses nothing when a request is given up while it feeds",
    effect(function* () {
      const { begin, ask } = yield* make()
      const { child } = yield* begin("p")
      const text = Array.from({ length: 100_000 }, (_, index) => `${index} `).join("")
      child.output("pty", text)
      const asking = yield* Effect.forkChild(ask("p"))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(asking)
      expect((yield* ask("p")).text).toBe(text.trimEnd())
    }),
  )

  it(
    "shows a process that has ended",
    effect(function* () {
      const { begin, ask } = yield* make()
      const { child } = yield* begin("p")
      child.output("pty", "bye")
      child.finish(0)
      yield* settle
      expect(yield* ask("p")).toMatchObject({ text: "bye", fromSeq: 1 })
    }),
  )

  it(
    "refuses a process without a terminal, one of too many cells",
    effect(function* () {
      const { begin, ask, opened } = yield* make()
      yield* begin("pipe", pipe)
      yield* begin("huge", pty(1000, mostCells / 1000 + 1))
      expect(yield* Effect.flip(ask("pipe"))).toMatchObject({ reason: "NoTerminal" })
      expect(yield* Effect.flip(ask("huge"))).toMatchObject({ reason: "TooLarge" })
      expect(yield* Effect.flip(ask("none"))).toMatchObject({ _tag: "ProcessError", reason: "Unknown" })
      expect(opened).toHaveLength(0)
    }),
  )
})
