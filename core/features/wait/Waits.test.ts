import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fiber from "effect/Fiber"
import { describe, expect, it, vi } from "vitest"
import { Machine } from "../../pattern/Machine.ts"
import * as Pattern from "../../pattern/Pattern.ts"
import type { OutputStream, SpawnSpec } from "../../spawn/Spawner.ts"
import { effect, pass, settle } from "../../testing/Effects.ts"
import { defaults } from "../../protocol/Limits.ts"
import { begin, bytes, noStdin, pipe } from "../../process/testing/Registry.ts"
import type { Condition, WaitRequest, WaitState } from "./Condition.ts"
import { latestMillis, soonestMillis } from "./EvidenceWatch.ts"
import * as Evidence from "../../spawn/ProcessEvidence.ts"
import * as Waits from "./Waits.ts"

const pattern = (text: string, flags = "", stream?: OutputStream): Condition => ({
  kind: "pattern",
  pattern: Result.getOrThrow(Pattern.compile(text, flags)),
  name: `${flags} ${text}`,
  stream,
})

const asking = (
  until: Condition | ReadonlyArray<Condition>,
  change: Partial<WaitRequest> = {},
): WaitRequest => ({
  afterSeq: 0,
  until: [until].flat(),
  timeoutMillis: Infinity,
  maxBytes: Infinity,
  ...change,
})

const exit: Condition = { kind: "exit" }

/** A started process, and waits for it. */
const started = (spec: SpawnSpec = pipe, change = {}) =>
  Effect.map(begin({}, spec, change), ({ registry, process, child, close }) => ({
    registry,
    process,
    child,
    close,
    wait: (until: Condition | ReadonlyArray<Condition>, more: Partial<WaitRequest> = {}) =>
      Effect.map(
        Effect.forkChild(Waits.of(process, Evidence.unknown).wait(asking(until, more))),
        (fiber) => ({
          state: Fiber.join(fiber),
          interrupt: Fiber.interrupt(fiber),
          done: Effect.map(settle, () => fiber.pollUnsafe() !== undefined),
        }),
      ),
  }))

const textOf = (chunks: WaitState["head"]) =>
  chunks.map(({ bytes }) => new TextDecoder().decode(bytes)).join("")
const matchOf = (state: WaitState) => state.met?.evidence.match

describe("Waits", () => {
  it(
    "tells nothing twice where the log has dropped most of what was printed",
    effect(function* () {
      const retainedBytes = 60_000
      const { child, wait } = yield* started(pipe, { limits: { ...defaults, retainedBytes } })
      const { state, done } = yield* wait({ kind: "bytes", bytes: 180_000 }, { maxBytes: 150_000 })
      expect(yield* done).toBe(false)
      for (const text of ["a", "b", "c"]) child.output("stdout", text.repeat(60_000))
      expect(yield* done).toBe(true)
      const { head, tail, omittedBytes } = yield* state
      const told = [head, tail].map((chunks) => chunks.map(({ seq, bytes }) => [seq, bytes.length]))
      expect([told, omittedBytes]).toEqual([[[[3, 60_000]], []], 120_000])
    }),
  )

  it(
    "ends with the condition that came true, its evidence, the state and what was printed",
    effect(function* () {
      const { child, wait } = yield* started()
      child.output("stdout", "starting\n")
      const { state, done } = yield* wait([exit, pattern("ready on (\\d+)\\n"), { kind: "closed" }])
      expect(yield* done).toBe(false)
      child.output("stderr", "ready on ")
      child.output("stdout", "re")
      child.output("stdout", "ady on 80")
      expect(yield* done).toBe(false)
      child.output("stdout", "80\nmore\n")
      expect(yield* done).toBe(true)
      const answer = yield* state
      expect(answer.met).toEqual({
        index: 1,
        evidence: {
          match: {
            stream: "stdout",
            from: { seq: 3, offset: 0 },
            to: { seq: 5, offset: 3 },
            text: "ready on 8080\n",
          },
        },
      })
      expect(answer).toMatchObject({
        nextSeq: 6,
        exited: false,
        exitCode: null,
        closed: false,
        omittedBytes: 0,
        unknown: [],
      })
      expect(textOf(answer.head)).toBe("starting\nready on ready on 8080\nmore\n")
    }),
  )

  it(
    "finds what was printed before, behind afterSeq only",
    effect(function* () {
      const { child, wait } = yield* started()
      child.output("stdout", "one two")
      child.output("stdout", " three")
      const found = yield* wait(pattern("t"))
      expect(matchOf(yield* found.state)).toMatchObject({
        from: { seq: 1, offset: 4 },
        to: { seq: 1, offset: 5 },
      })
      const later = yield* wait(pattern("t"), { afterSeq: 1 })
      expect(matchOf(yield* later.state)).toMatchObject({ from: { seq: 2, offset: 1 } })
      const none = yield* wait(pattern("t"), { afterSeq: 2 })
      expect(yield* none.done).toBe(false)
      yield* none.interrupt
    }),
  )

  it(
    "finds a match that began before it was asked for, and one over pieces of a character",
    effect(function* () {
      const { child, wait } = yield* started()
      child.output("stdout", "pass")
      const { state } = yield* wait(pattern("password: é"))
      yield* settle
      const [first, second] = [bytes("word: é").subarray(0, 7), bytes("word: é").subarray(7)]
      child.output("stdout", first)
      child.output("stdout", second)
      expect(matchOf(yield* state)).toEqual({
        stream: "stdout",
        from: { seq: 1, offset: 0 },
        to: { seq: 3, offset: 1 },
        text: "password: é",
      })
    }),
  )

  it(
    "looks at one stream if that is asked for, and never over two of them",
    effect(function* () {
      const { child, wait } = yield* started()
      const errors = yield* wait(pattern("ab", "", "stderr"))
      const any = yield* wait(pattern("ab"))
      child.output("stdout", "a")
      child.output("stderr", "b")
      child.output("stdout", "b")
      expect(yield* any.state).toMatchObject({ met: { evidence: { match: { stream: "stdout" } } } })
      expect(yield* errors.done).toBe(false)
      child.output("stderr", "ab")
      expect(matchOf(yield* errors.state)).toMatchObject({ stream: "stderr" })
    }),
  )

  it(
    "knows the end of the text when the process is closed",
    effect(function* () {
      const { child, wait } = yield* started(noStdin)
      const { state, done } = yield* wait(pattern("done$"))
      child.output("stdout", "done")
      expect(yield* done).toBe(false)
      child.exit(0)
      expect(yield* done).toBe(false)
      child.end()
      expect(yield* state).toMatchObject({
        met: { index: 0, evidence: { match: { text: "done" } } },
        closed: true,
      })
      const again = yield* wait([pattern("gone"), pattern("done$")])
      expect(yield* again.state).toMatchObject({ met: { index: 1 } })
    }),
  )

  it(
    "sees no end of a stream that the process does not have",
    effect(function* () {
      const { child, wait } = yield* started({
        ...pipe,
        stdio: { kind: "pty", size: { rows: 24, columns: 80 } },
      })
      const { state } = yield* wait(pattern("$", "", "stdout"))
      child.exit(0)
      child.end()
      expect(yield* state).toMatchObject({ met: undefined })
      const late = yield* wait([pattern("$", "", "stdout"), pattern("$", "", "pty")])
      expect(yield* late.state).toMatchObject({ met: { index: 1 } })
    }),
  )

  it(
    "places an empty end behind the seq of its wait, whatever other waits have read",
    effect(function* () {
      const { child, wait } = yield* started(noStdin)
      const first = yield* wait(pattern("x$"))
      child.output("stdout", "done")
      const { state, done } = yield* wait(pattern("$"), { afterSeq: 1 })
      expect(yield* done).toBe(false)
      child.exit(0)
      child.end()
      const place = { seq: 1, offset: 0 }
      expect(matchOf(yield* state)).toMatchObject({ stream: "stdout", from: place, to: place, text: "" })
      yield* first.state
    }),
  )

  it(
    "tells of the exit when it is published, and of the end when the last stream has ended",
    effect(function* () {
      const { child, wait } = yield* started(noStdin)
      const exited = yield* wait(exit)
      const closed = yield* wait({ kind: "closed" })
      const nothing = yield* wait(pattern("never"))
      child.end("stdout")
      child.exit(7)
      yield* pass(1000)
      expect(yield* exited.state).toMatchObject({
        met: { evidence: { exitCode: 7 } },
        exited: true,
        closed: false,
      })
      expect(yield* closed.done).toBe(false)
      expect(yield* nothing.done).toBe(false)
      child.end("stderr")
      expect(yield* closed.state).toMatchObject({
        met: { index: 0, evidence: { exitCode: 7 } },
        closed: true,
      })
      expect(yield* nothing.state).toMatchObject({ met: undefined, exited: true, closed: true })
    }),
  )

  it(
    "ends with nothing when its time has passed, and no sooner",
    effect(function* () {
      const { wait } = yield* started()
      const { state, done } = yield* wait(exit, { timeoutMillis: 500 })
      yield* pass(499)
      expect(yield* done).toBe(false)
      yield* pass(1)
      expect(yield* state).toMatchObject({ met: undefined, closed: false })
      expect(yield* (yield* wait(exit, { timeoutMillis: 0 })).state).toMatchObject({ met: undefined })
    }),
  )

  it(
    "is quiet after a time without output, counted from its begin, never sooner",
    effect(function* () {
      const { child, wait } = yield* started()
      child.output("stdout", "x")
      yield* pass(10_000)
      const { state, done } = yield* wait({ kind: "idle", millis: 100 })
      yield* pass(99)
      expect(yield* done).toBe(false)
      child.output("stderr", "y")
      yield* pass(99)
      expect(yield* done).toBe(false)
      yield* pass(1)
      expect(yield* state).toMatchObject({ met: { evidence: { idleMs: 100 } } })
    }),
  )

  it(
    "counts the bytes behind afterSeq",
    effect(function* () {
      const { child, wait } = yield* started()
      child.output("stdout", "12345")
      const { state, done } = yield* wait({ kind: "bytes", bytes: 5 }, { afterSeq: 1 })
      child.output("stdout", "1234")
      expect(yield* done).toBe(false)
      child.output("stderr", "567")
      expect(yield* state).toMatchObject({ met: { evidence: { bytes: 7 } } })
    }),
  )

  it(
    "takes the first condition of the list if several hold",
    effect(function* () {
      const { child, wait } = yield* started()
      child.output("stdout", "ab")
      expect(yield* (yield* wait([exit, pattern("b"), pattern("a")])).state).toMatchObject({
        met: { index: 1 },
      })
    }),
  )

  it(
    "returns the first and the last bytes of what was printed, and says how many lie between",
    effect(function* () {
      const { child, wait } = yield* started()
      child.output("stdout", "0123456789")
      child.output("stderr", "abcdefghij")
      const { head, tail, omittedBytes } = yield* (yield* wait({ kind: "bytes", bytes: 1 }, { maxBytes: 15 }))
        .state
      expect([textOf(head), textOf(tail), omittedBytes]).toEqual(["01234567", "defghij", 5])
      const none = yield* (yield* wait({ kind: "bytes", bytes: 1 }, { maxBytes: 0 })).state
      expect(none).toMatchObject({ head: [], tail: [], omittedBytes: 20 })
      const all = yield* (yield* wait({ kind: "bytes", bytes: 1 }, { maxBytes: 20 })).state
      expect([textOf(all.head), all.tail, all.omittedBytes]).toEqual(["0123456789abcdefghij", [], 0])
    }),
  )

  it(
    "says which output was gone when it began",
    effect(function* () {
      const limits = { retainedBytes: 4, retainedChunks: 2 }
      const { child, wait, process } = yield* started(pipe, { limits: { ...defaults, ...limits } })
      for (const text of ["a", "b", "c", "d"]) child.output("stdout", text)
      expect(process.log.after(0)?.seq).toBe(3)
      const { gap, head, omittedBytes } = yield* (yield* wait(pattern("d"))).state
      expect({ gap, text: textOf(head), omittedBytes }).toEqual({
        gap: { from: 1, to: 2 },
        text: "cd",
        omittedBytes: 0,
      })
      const lost = yield* wait(pattern("a"))
      expect(yield* lost.done).toBe(false)
      child.finish()
      expect(yield* lost.state).toMatchObject({ met: undefined, gap: { from: 1, to: 2 } })
      expect((yield* (yield* wait({ kind: "closed" }, { afterSeq: 2 })).state).gap).toBeUndefined()
    }),
  )

  it(
    "keeps up with a flood that the log cannot hold",
    effect(function* () {
      const limits = { retainedBytes: 1, retainedChunks: 1 }
      const { child, wait } = yield* started(pipe, { limits: { ...defaults, ...limits } })
      const { state } = yield* wait(pattern("needle"))
      yield* settle
      child.output("stdout", "hay".repeat(100_000) + "nee")
      child.output("stdout", "dle" + "hay".repeat(100_000))
      expect(matchOf(yield* state)).toMatchObject({ to: { offset: expect.any(Number) } })
    }),
  )

  it(
    "finds for many patterns together what each finds alone",
    effect(function* () {
      let seed = 5
      const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n
      const pick = <A>(list: ReadonlyArray<A>): A => list[random(list.length)] as A
      const patterns = [
        "a",
        "ab",
        "b+c",
        "^b",
        "c$",
        "\\bab\\b",
        "(?:ab)+c",
        "a.c",
        "b\\B",
        "^$",
        "cc",
        "[^a]b",
        "a{3}",
      ]
      for (let n = 0; n < 12; n++) {
        const { child, process } = yield* started()
        const together = new Waits.Waits(process, Evidence.unknown)
        const found: Array<readonly [Fiber.Fiber<WaitState>, Fiber.Fiber<WaitState>]> = []
        for (let chunk = 0; chunk < 6; chunk++) {
          for (let more = random(5); more > 0; more--) {
            const asked = asking(pattern(pick(patterns), "m"), { afterSeq: random(chunk + 1) })
            found.push([
              yield* Effect.forkChild(together.wait(asked)),
              yield* Effect.forkChild(new Waits.Waits(process, Evidence.unknown).wait(asked)),
            ])
          }
          yield* settle
          child.output(
            "stdout",
            Array.from({ length: 1 + random(9) }, () => pick(["a", "b", "c", "\n", " "])).join(""),
          )
        }
        child.finish()
        for (const [one, other] of found)
          expect(matchOf(yield* Fiber.join(one))).toEqual(matchOf(yield* Fiber.join(other)))
      }
    }),
  )

  it(
    "scans each byte once for a thousand waits",
    effect(function* () {
      const { child, wait, process } = yield* started()
      const waits = []
      for (let n = 0; n < 1000; n++) waits.push(yield* wait(pattern(`line ${n}\\n`), { afterSeq: n % 3 }))
      yield* settle
      const ran = vi.spyOn(Machine.prototype, "run")
      const stepped = vi.spyOn(Machine.prototype, "step")
      child.output("stdout", "x\n".repeat(3000))
      const scanned = ran.mock.calls.reduce((sum, [, bytes, at]) => sum + bytes.length - at, 0)
      // The first byte is read by each search alone, because nothing is before it.
      expect([5999, 6000]).toContain(scanned)
      // A state is made, or a first byte read, for each of the thousand; none of them reads on by itself.
      expect(stepped.mock.calls.length).toBeLessThan(2000)
      vi.restoreAllMocks()
      const some = waits.map((_, n) => n).filter((n) => n % 50 === 0)
      child.output("stdout", some.map((n) => `line ${n}\n`).join(""))
      child.finish()
      for (const [n, { state }] of waits.entries()) {
        expect(matchOf(yield* state)?.text).toBe(some.includes(n) ? `line ${n}\n` : undefined)
      }
      expect(process.subscribers).toBe(0)
    }),
  )

  it(
    "leaves nothing behind when a wait is given up",
    effect(function* () {
      const { child, wait, process } = yield* started()
      const { interrupt } = yield* wait([pattern("x"), { kind: "idle", millis: 5 }, exit], {
        timeoutMillis: 10,
      })
      yield* settle
      expect(process.subscribers).toBe(1)
      yield* interrupt
      expect(process.subscribers).toBe(0)
      child.output("stdout", "y".repeat(2_000_000))
      expect(process.log.size().bytes).toBeLessThan(1_200_000)
    }),
  )
})

describe("waits for evidence", () => {
  /** A process whose evidence is what `now` has. */
  const watched = Effect.gen(function* () {
    const { process, child, registry } = yield* begin()
    const now: { input: Evidence.Input; port: Evidence.Port; looks: number } = {
      input: { kind: "no" },
      port: { kind: "no" },
      looks: 0,
    }
    const look = <A>(answer: () => A) =>
      Effect.sync(() => {
        now.looks += 1
        return answer()
      })
    const waits = new Waits.Waits(process, {
      tells: { input: true, port: true },
      input: () => look(() => now.input),
      port: () => look(() => now.port),
    })
    const wait = (until: Condition, timeoutMillis = Infinity) =>
      Effect.forkChild(waits.wait(asking(until, { timeoutMillis })))
    return { now, wait, child, registry }
  })

  const asks: Evidence.AsksInput = { kind: "yes", pid: 5, from: "terminal", echo: false, line: true }

  it(
    "asks for it while somebody waits, and not more often than is of use",
    effect(function* () {
      const { now, wait } = yield* watched
      const first = yield* wait({ kind: "input" })
      const second = yield* wait({ kind: "input" })
      yield* pass(10_000)
      expect(now.looks).toBeGreaterThan(10_000 / latestMillis - 10)
      expect(now.looks).toBeLessThan(10_000 / latestMillis + 30)
      now.input = asks
      yield* pass(latestMillis)
      const evidence = { input: { pid: 5, from: "terminal", echo: false, line: true, secret: true } }
      expect(yield* Fiber.join(first)).toMatchObject({ met: { index: 0, evidence } })
      expect(yield* Fiber.join(second)).toMatchObject({ met: { index: 0, evidence } })
      const { looks } = now
      yield* pass(60_000)
      expect(now.looks).toBe(looks)
    }),
  )

  it(
    "believes nothing that was seen before the wait began",
    effect(function* () {
      const { now, wait } = yield* watched
      const other = yield* wait({ kind: "port", port: 80, host: undefined })
      now.input = asks
      const early = yield* wait({ kind: "input" })
      yield* pass(latestMillis)
      yield* Fiber.join(early)
      now.input = { kind: "no" }
      const late = yield* wait({ kind: "input" }, 1000)
      yield* pass(1000)
      expect(yield* Fiber.join(late)).toMatchObject({ met: undefined })
      now.port = { kind: "yes", port: 80, host: "::", pid: 3 }
      yield* pass(latestMillis)
      expect(yield* Fiber.join(other)).toMatchObject({
        met: { evidence: { port: { port: 80, host: "::", pid: 3 } } },
      })
    }),
  )

  it(
    "does not take a process for one that asks while input is on its way to it",
    effect(function* () {
      const { now, wait, child, registry } = yield* watched
      now.input = asks
      child.stall()
      yield* registry.write("p", bytes("answer"), undefined)
      const fiber = yield* wait({ kind: "input" })
      yield* pass(5000)
      expect(fiber.pollUnsafe()).toBeUndefined()
      child.read()
      yield* pass(latestMillis)
      expect(yield* Fiber.join(fiber)).toMatchObject({ met: { index: 0 } })
    }),
  )

  it(
    "tells that a process asks with all that it printed before, which may be read later",
    effect(function* () {
      const { now, wait, child } = yield* watched
      now.input = asks
      const fiber = yield* wait({ kind: "input" })
      yield* settle
      expect(now.looks).toBe(1)
      child.output("stdout", "name? ")
      yield* pass(soonestMillis)
      const state = yield* Fiber.join(fiber)
      expect({ looks: now.looks, text: textOf(state.head) }).toEqual({ looks: 2, text: "name? " })
    }),
  )

  it(
    "does not believe a look from before a write",
    effect(function* () {
      const { now, wait, child, registry } = yield* watched
      now.input = asks
      const fiber = yield* wait({ kind: "input" })
      yield* settle
      yield* registry.write("p", bytes("answer"), undefined)
      yield* pass(soonestMillis)
      child.output("stdout", "next? ")
      yield* pass(soonestMillis)
      expect(textOf((yield* Fiber.join(fiber)).head)).toBe("next? ")
    }),
  )

  it(
    "says of which conditions nothing is known",
    effect(function* () {
      const { now, wait } = yield* watched
      now.input = { kind: "unknown", why: "not permitted" }
      const fiber = yield* wait({ kind: "input" }, 300)
      yield* pass(300)
      expect(yield* Fiber.join(fiber)).toMatchObject({
        met: undefined,
        unknown: [{ index: 0, why: "not permitted" }],
      })
    }),
  )
})
