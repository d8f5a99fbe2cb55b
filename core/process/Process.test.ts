import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Fake from "../spawn/Fake.ts"
import type { SpawnSpec, Stdio } from "../spawn/Spawner.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as OutputLog from "./OutputLog.ts"
import { type Event, maxQuietRounds, pauseAbove, Process, quietMillis, resumeBelow } from "./Process.ts"

const pipes: Stdio = { kind: "pipe", stdin: false }
const pty: Stdio = { kind: "pty", size: { rows: 24, columns: 80 } }

/** A supervised process, its child, and its events so far as text. */
const begin = (stdio: Stdio = pipes, capabilities = Fake.allCapabilities, limits = OutputLog.defaultLimits) =>
  Effect.gen(function* () {
    const process = new Process("p", { stdio }, limits)
    const spec: SpawnSpec = { argv: ["a"], cwd: "/", env: {}, stdio }
    const child = new Fake.FakeChild(1, spec, process.events)
    process.begin(child.handle(capabilities), undefined)
    process.release()
    const done = yield* Effect.fork(process.supervise)
    yield* settle
    const events = () => eventsOf(process).map(textOf)
    return { process, child, events, done }
  })

const eventsOf = (process: Process): ReadonlyArray<Event> => {
  const attachment = process.attach(0)
  const found: Array<Event> = []
  for (let event = attachment.next(); event !== undefined; event = attachment.next()) {
    found.push(event)
    attachment.advance(event.seq)
  }
  attachment.detach()
  return found
}

const textOf = (event: Event): string => {
  switch (event.kind) {
    case "output":
      return `${event.seq} ${event.stream} ${String.fromCharCode(...event.bytes)}`
    case "exited":
      return `${event.seq} exited ${event.exitCode}`
    case "closed":
      return `${event.seq} closed`
  }
}

describe("Process", () => {
  it(
    "numbers output, exited and closed from 1 without gaps",
    effect(function* () {
      const { child, events, done } = yield* begin()
      child.output("stdout", "hi")
      child.output("stderr", "err")
      child.finish(3)
      expect(events()).toEqual(["1 stdout hi", "2 stderr err", "3 exited 3", "4 closed"])
      yield* Fiber.join(done)
    }),
  )

  it(
    "invariant 3: closed = exit seen and every stream at EOF, whatever comes first",
    effect(function* () {
      const steps = [
        (child: Fake.FakeChild) => child.end("stdout"),
        (child: Fake.FakeChild) => child.end("stderr"),
        (child: Fake.FakeChild) => child.exit(0),
      ]
      for (const order of [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
      ]) {
        const { child, events, process } = yield* begin()
        for (const [count, index] of order.entries()) {
          expect(process.closed).toBeUndefined()
          steps[index]?.(child)
          expect(process.closed === undefined).toBe(count < 2)
        }
        expect(events()).toEqual(["1 exited 0", "2 closed"])
      }
    }),
  )

  it(
    "puts output that was read after the exit was seen before exited",
    effect(function* () {
      const { child, events } = yield* begin()
      child.exit(0)
      child.output("stdout", "a")
      yield* pass(quietMillis)
      child.output("stdout", "b")
      child.end()
      expect(events()).toEqual(["1 stdout a", "2 stdout b", "3 exited 0", "4 closed"])
    }),
  )

  it(
    "publishes the exit over an open stream once output has stayed away twice in a row",
    effect(function* () {
      const { child, events } = yield* begin()
      child.output("stdout", "early")
      child.exit(3)
      yield* pass(2 * quietMillis - 1)
      expect(events()).toEqual(["1 stdout early"])
      yield* pass(1)
      expect(events()).toEqual(["1 stdout early", "2 exited 3"])
      yield* pass(700)
      child.output("stdout", "LATE")
      child.end()
      expect(events()).toEqual(["1 stdout early", "2 exited 3", "3 stdout LATE", "4 closed"])
    }),
  )

  it(
    "waits for quiet, but not for ever, while a descendant keeps printing",
    effect(function* () {
      const { child, process } = yield* begin()
      child.exit(0)
      for (let round = 0; round < maxQuietRounds; round++) {
        expect(process.exited).toBeUndefined()
        child.output("stdout", "x")
        yield* pass(quietMillis)
      }
      expect(process.exited).toEqual({ seq: maxQuietRounds + 1, exitCode: 0, sandboxDenied: false })
      expect(process.closed).toBeUndefined()
    }),
  )

  it(
    "does not take a paused child for a quiet one",
    effect(function* () {
      const { child, process } = yield* begin()
      const attachment = process.attach(0)
      child.output("stdout", new Uint8Array(pauseAbove + 1))
      child.exit(0)
      yield* pass(60_000)
      expect(process.exited).toBeUndefined()
      attachment.detach()
      yield* pass(3 * quietMillis)
      expect(process.exited).toBeDefined()
    }),
  )

  it(
    "closes after terminate even if a descendant holds a stream",
    effect(function* () {
      const { child, events, process } = yield* begin()
      process.terminated = true
      child.output("stdout", "x")
      child.exit({ kind: "signaled", signal: 9 })
      yield* pass(2 * quietMillis)
      expect(child.abandoned).toBe(true)
      expect(events()).toEqual(["1 stdout x", "2 exited 137", "3 closed"])
    }),
  )

  it(
    "does not give up the streams of a process that nobody terminated",
    effect(function* () {
      const { child, process } = yield* begin()
      child.exit(0)
      yield* pass(600_000)
      expect(child.abandoned).toBe(false)
      expect(process.closed).toBeUndefined()
    }),
  )

  it(
    "has one stream on a PTY",
    effect(function* () {
      const { child, events } = yield* begin(pty)
      child.output("pty", "x\r\n")
      child.finish(0)
      expect(events()).toEqual(["1 pty x\r\n", "2 exited 0", "3 closed"])
    }),
  )

  it.each([
    [{ kind: "exited", code: 0 }, 0],
    [{ kind: "exited", code: 255 }, 255],
    [{ kind: "signaled", signal: 2 }, 130],
    [{ kind: "signaled", signal: 9 }, 137],
    [{ kind: "signaled", signal: 11 }, 139],
    [{ kind: "signaled", signal: 15 }, 143],
    [{ kind: "signaled", signal: 34 }, 162],
  ] as const)("ends %j with code %i", (status, code) =>
    effect(function* () {
      const { child, process } = yield* begin()
      child.finish(status)
      expect(process.exited?.exitCode).toBe(code)
    })(),
  )

  it(
    "takes the first of two exits and two ends of a stream for one",
    effect(function* () {
      const { process, events } = yield* begin()
      process.events.exit({ kind: "exited", code: 1 })
      process.events.exit({ kind: "exited", code: 2 })
      for (const stream of ["stdout", "stdout", "stderr", "stderr"] as const) process.events.end(stream)
      process.events.output("stdout", new Uint8Array(1))
      expect(events()).toEqual(["1 exited 1", "2 closed"])
    }),
  )

  it(
    "takes no empty output for a chunk",
    effect(function* () {
      const { process, events } = yield* begin()
      process.events.output("stdout", new Uint8Array(0))
      expect(events()).toEqual([])
      expect(process.log.nextSeq()).toBe(1)
    }),
  )

  it(
    "pauses the child above one lag and lets it go on below another",
    effect(function* () {
      const { child, process } = yield* begin()
      const attachment = process.attach(0)
      const part = resumeBelow / 4
      let printed = 0
      while (!child.paused) {
        child.output("stdout", new Uint8Array(part))
        printed += part
      }
      expect(printed).toBe(pauseAbove + part)
      let delivered = 0
      while (child.paused) {
        attachment.advance(attachment.next()?.seq ?? 0)
        delivered += part
      }
      expect(printed - delivered).toBe(resumeBelow)
      expect(child.pauses).toBe(1)
    }),
  )

  it(
    "asks the slowest of several readers",
    effect(function* () {
      const { child, process } = yield* begin()
      const [fast, slow] = [process.attach(0), process.attach(0)]
      for (let index = 0; index < 5; index++) {
        child.output("stdout", new Uint8Array(64 * 1024))
        fast.advance(index + 1)
      }
      expect(child.paused).toBe(true)
      slow.detach()
      expect(child.paused).toBe(false)
      fast.detach()
    }),
  )

  it(
    "never pauses a child that nobody follows",
    effect(function* () {
      const { child, process } = yield* begin()
      for (let index = 0; index < 1000; index++) child.output("stdout", new Uint8Array(8192))
      expect(child.pauses).toBe(0)
      expect(process.log.size().bytes).toBe(1024 * 1024)
    }),
  )

  it(
    "bounds what it keeps for a reader of a child that cannot be paused",
    effect(function* () {
      const { child, process } = yield* begin(pipes, { ...Fake.allCapabilities, pause: false })
      const attachment = process.attach(0)
      for (let index = 0; index < 500; index++) child.output("stdout", new Uint8Array(64 * 1024))
      expect(process.log.size().bytes).toBe(16 * 1024 * 1024)
      expect(attachment.next()?.seq).toBe(500 - 255)
    }),
  )

  it(
    "keeps what is undelivered even where less is retained",
    effect(function* () {
      const { child, process } = yield* begin(pipes, Fake.allCapabilities, { bytes: 1000, chunks: 10 })
      const attachment = process.attach(0)
      for (let index = 0; index < 100; index++) child.output("stdout", new Uint8Array(500))
      expect(attachment.next()?.seq).toBe(1)
      attachment.detach()
      expect(process.log.size()).toMatchObject({ bytes: 1000, chunks: 2 })
    }),
  )

  it("delivers every event once and in order to a reader of any pace", () => {
    const step = fc.oneof(
      fc.record({ print: fc.integer({ min: 1, max: 300_000 }), stream: fc.constantFrom("stdout", "stderr") }),
      fc.record({ take: fc.integer({ min: 1, max: 5 }) }),
      fc.constant({ exit: true }),
    )
    return fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) =>
        effect(function* () {
          const { child, process } = yield* begin()
          const attachment = process.attach(0)
          let [printed, taken, last] = [0, 0, 0]
          const take = (): boolean => {
            const event = attachment.next()
            if (event === undefined) return false
            expect(event.seq).toBe(last + 1)
            last = event.seq
            if (event.kind === "output") taken += event.bytes.length
            attachment.advance(event.seq)
            return true
          }
          for (const step of steps) {
            if ("print" in step && !child.paused) {
              printed += step.print
              child.output(step.stream as "stdout", new Uint8Array(step.print))
            } else if ("take" in step) for (let index = 0; index < step.take; index++) take()
            else if ("exit" in step) child.exit(0)
          }
          child.finish(0)
          while (take());
          expect(taken).toBe(printed)
          expect(process.closed?.seq).toBe(last)
        })(),
      ),
      { numRuns: 60 },
    )
  }, 60_000)
})
