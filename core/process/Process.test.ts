import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import type * as Fake from "../spawn/Fake.ts"
import { effect, pass } from "../testing/Effects.ts"
import { maxQuietRounds, pauseAbove, quietMillis } from "./Process.ts"
import { begin, pty } from "./testing/Supervised.ts"

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

  // guards: closed
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
    "does not count time in which the child is paused as quiet",
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
    "ignores a second exit and a second end of a stream",
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
    "ignores empty output",
    effect(function* () {
      const { process, events } = yield* begin()
      process.events.output("stdout", new Uint8Array(0))
      expect(events()).toEqual([])
      expect(process.log.nextSeq()).toBe(1)
    }),
  )
})
