// The deadlines of a process, and terminate with a grace: in virtual time.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type * as Fake from "../../spawn/Fake.ts"
import { effect, pass, settle } from "../../testing/Effects.ts"
import { begin as beginAny, make, now, pipe } from "../../process/testing/Registry.ts"
import { pauseAbove } from "../../process/Process.ts"
import type { Asked } from "../Feature.ts"
import { linux } from "../testing/Linux.ts"
import { deadline } from "./feature.ts"

const term = ["SIGTERM", "SIGCONT"]

const begin = (asked: Asked, options: Fake.Options = {}) =>
  Effect.gen(function* () {
    const { fake, registry, close } = yield* make(options)
    const process = yield* registry.start("p", pipe, { extend: deadline.extend?.(asked, linux) })
    process.release()
    return { registry, process, child: yield* fake.next, close }
  })

describe("A deadline", () => {
  it(
    "asks the process to end at its time and not before, and kills it after the grace",
    effect(function* () {
      const { registry, child } = yield* begin({
        timeoutMs: 1000,
        killGraceMs: 300,
        ending: true,
      })
      child.output("stdout", "partial")
      yield* pass(999)
      expect(child.signals).toEqual([])
      yield* pass(1)
      expect(child.signals).toEqual(term)
      yield* pass(299)
      expect(child.kills).toBe(0)
      yield* pass(1)
      expect(child.kills).toBe(1)
      const state = yield* registry.read("p", now)
      expect(state).toMatchObject({
        exited: true,
        closed: true,
        exitCode: 137,
        endedBy: "timeout",
        signal: 9,
      })
      expect(state.chunks).toHaveLength(1)
    }),
  )

  it(
    "tells of itself for a process that ends in the grace, however it ends, and kills nobody then",
    effect(function* () {
      const { registry, child } = yield* begin({ timeoutMs: 1000 })
      yield* pass(1000)
      child.finish(0)
      yield* pass(60_000 - 31_000)
      expect(child.kills).toBe(0)
      expect(yield* registry.read("p", now)).toMatchObject({ exitCode: 0, endedBy: "timeout" })
    }),
  )

  it(
    "never fires for a process that has ended, also one whose exit is not published yet",
    effect(function* () {
      const { registry, child } = yield* begin({
        timeoutMs: 1000,
        idleTimeoutMs: 1000,
        ending: true,
      })
      yield* pass(999)
      // A descendant holds the pipe.
      child.exit(3)
      yield* pass(1)
      yield* pass(60_000)
      expect(child.signals).toEqual([])
      expect(child.kills).toBe(0)
      expect(yield* registry.read("p", now)).toMatchObject({ exitCode: 3, endedBy: "exit" })
    }),
  )

  it(
    "kills descendants that are left after the grace, and abandons what holds the pipes",
    effect(function* () {
      const { registry, child } = yield* begin({ timeoutMs: 1000, killGraceMs: 500 })
      child.mortal = false
      child.lingering = true
      yield* pass(1000)
      child.exit({ kind: "signaled", signal: 15 })
      yield* pass(499)
      expect(child.kills).toBe(0)
      yield* pass(1)
      expect(child.kills).toBe(1)
      yield* pass(1000)
      expect(child.abandoned).toBe(true)
      expect(yield* registry.read("p", now)).toMatchObject({
        closed: true,
        exitCode: 143,
        endedBy: "timeout",
      })
    }),
  )

  it(
    "lets a process be that leaves nobody behind",
    effect(function* () {
      const { child } = yield* begin({ timeoutMs: 1000, killGraceMs: 500 })
      yield* pass(1000)
      child.finish({ kind: "signaled", signal: 15 })
      yield* pass(5000)
      expect(child.kills).toBe(0)
    }),
  )

  it(
    "of silence counts from the last output",
    effect(function* () {
      const { child, process } = yield* begin({ idleTimeoutMs: 1000 })
      for (let count = 0; count < 5; count++) {
        yield* pass(900)
        child.output("stderr", ".")
      }
      yield* pass(999)
      expect(child.signals).toEqual([])
      yield* pass(1)
      expect(child.signals).toEqual(term)
      child.finish(1)
      yield* settle
      expect(process.exited?.endedBy).toBe("idleTimeout")
    }),
  )

  it(
    "of silence does not count the time in which a slow reader holds the process",
    effect(function* () {
      const { child, process } = yield* begin({ idleTimeoutMs: 1000 })
      const reader = process.attach(0)
      child.output("stdout", new Uint8Array(pauseAbove + 1))
      expect(child.paused).toBe(true)
      yield* pass(60_000)
      expect(child.signals).toEqual([])
      reader.detach()
      expect(child.paused).toBe(false)
      yield* pass(999)
      expect(child.signals).toEqual([])
      yield* pass(1000)
      expect(child.signals).toEqual(term)
    }),
  )

  it(
    "with a grace of 0 kills at once; another signal can ask",
    effect(function* () {
      const quick = yield* begin({ timeoutMs: 10, killGraceMs: 0 })
      yield* pass(10)
      expect([quick.child.signals, quick.child.kills]).toEqual([[], 1])
      const other = yield* begin({ timeoutMs: 10, signalOnTimeout: "SIGINT" })
      yield* pass(10)
      expect(other.child.signals).toEqual(["SIGINT", "SIGCONT"])
      yield* pass(5000)
      expect(other.child.kills).toBe(1)
    }),
  )

  it(
    "goes with its session",
    effect(function* () {
      const { child, close } = yield* begin({ timeoutMs: 1000 })
      yield* close
      yield* pass(60_000)
      expect(child.signals).toEqual([])
    }),
  )

  it(
    "is nothing to a process without one",
    effect(function* () {
      const { child, process } = yield* beginAny()
      yield* pass(10 * 60_000)
      child.finish({ kind: "signaled", signal: 9 })
      yield* settle
      expect(process.exited).toEqual({ seq: 1, exitCode: 137, signal: 9, sandboxDenied: false })
      expect(process.exited?.endedBy).toBeUndefined()
    }),
  )
})

describe("ProcessRegistry.terminate with a grace", () => {
  it(
    "asks first, and kills what is left when the grace of the start has passed",
    effect(function* () {
      const { registry, child } = yield* begin({ killGraceMs: 2000 })
      expect(yield* registry.terminate("p", {})).toBe(true)
      expect(child.signals).toEqual(term)
      expect(yield* registry.read("p", now)).toMatchObject({ exited: false })
      yield* pass(1999)
      expect(child.kills).toBe(0)
      yield* pass(1)
      expect(child.kills).toBe(1)
      expect(yield* registry.read("p", now)).toMatchObject({ endedBy: "terminate", exitCode: 137 })
      expect(yield* registry.terminate("p", {})).toBe(false)
    }),
  )

  it(
    "is overtaken by a terminate without one",
    effect(function* () {
      const { registry, child } = yield* begin({})
      expect(yield* registry.terminate("p", { signal: "SIGHUP", millis: 60_000 })).toBe(true)
      expect(child.signals[0]).toBe("SIGHUP")
      expect(yield* registry.terminate("p")).toBe(true)
      expect(child.kills).toBe(1)
      yield* pass(60_000)
      expect(child.kills).toBe(1)
    }),
  )

  it(
    "leaves stdin open until the kill",
    effect(function* () {
      const { registry, child } = yield* begin({})
      yield* registry.terminate("p", { millis: 1000 })
      expect(yield* registry.write("p", new TextEncoder().encode("y\n"), "w")).toBe("accepted")
      yield* settle
      expect(child.written).toBe("y\n")
      yield* pass(1000)
      expect(child.kills).toBe(1)
    }),
  )

  it(
    "names the deadline, if that came first",
    effect(function* () {
      const { registry, child } = yield* begin({ timeoutMs: 100 })
      yield* pass(100)
      yield* registry.terminate("p")
      expect(child.kills).toBe(1)
      expect(yield* registry.read("p", now)).toMatchObject({ endedBy: "timeout" })
    }),
  )
})
