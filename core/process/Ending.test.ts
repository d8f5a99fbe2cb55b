// ProcessRegistry.signal and terminate, and how Lifecycle retains and forgets a process.
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { defaults } from "../protocol/Limits.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import { begin, bytes, make, now, pipe } from "./testing/Registry.ts"
import * as Fake from "../spawn/Fake.ts"
import { Spawner } from "../spawn/Spawner.ts"
import type { Process } from "./Process.ts"
import type { StartError } from "./ProcessError.ts"
import * as ProcessRegistry from "./ProcessRegistry.ts"

describe("ProcessRegistry.signal and terminate", () => {
  it(
    "interrupts a running process and nothing else",
    effect(function* () {
      const { registry, child } = yield* begin()
      yield* registry.signal("nope", "SIGINT")
      yield* registry.signal("p", "SIGINT")
      expect(child.signals).toEqual(["SIGINT"])
      child.finish()
      yield* settle
      yield* registry.signal("p", "SIGINT")
      expect(child.signals).toEqual(["SIGINT"])
    }),
  )

  it(
    "kills at once, and says whether the process was running",
    effect(function* () {
      const { registry, child } = yield* begin()
      expect(yield* registry.terminate("p")).toBe(true)
      expect(child.kills).toBe(1)
      expect(yield* registry.read("p", now)).toMatchObject({ exited: true, exitCode: 137, closed: true })
      expect(yield* registry.terminate("p")).toBe(false)
      expect(yield* registry.terminate("nope")).toBe(false)
      expect(child.kills).toBe(1)
    }),
  )

  it(
    "does nothing once the leader of the group has exited",
    effect(function* () {
      const { registry, child } = yield* begin()
      child.exit(0)
      yield* pass(1000)
      expect(yield* registry.terminate("p")).toBe(false)
      expect(child.kills).toBe(0)
    }),
  )
})

describe("ProcessRegistry retention", () => {
  it(
    "frees the place of a process before any subscriber hears that it is closed",
    effect(function* () {
      const limits = { ...defaults, sessionProcesses: 1 }
      const { registry, process, child } = yield* begin({}, pipe, { limits })
      expect(yield* Effect.flip(registry.start("q", pipe))).toMatchObject({ limit: "sessionProcesses" })
      let next: Fiber.Fiber<Process, StartError> | undefined
      process.subscribe(() => {
        if (process.closed !== undefined) next ??= Effect.runFork(registry.start("q", pipe))
      })
      child.finish()
      expect((yield* Fiber.join(next!)).id).toBe("q")
    }),
  )

  it(
    "forgets a process 30 seconds after it closed, and the id starts again from seq 1",
    effect(function* () {
      const { registry, child, fake } = yield* begin()
      child.output("stdout", "x")
      child.finish(1)
      yield* pass(29_999)
      expect((yield* registry.read("p", now)).nextSeq).toBe(4)
      yield* pass(1)
      expect(yield* Effect.flip(registry.read("p", now))).toMatchObject({ reason: "Unknown" })
      expect(yield* registry.write("p", bytes("x"), "w")).toBe("unknownProcess")
      expect(child.released).toBe(true)
      yield* registry.start("p", pipe)
      yield* fake.next
      expect(yield* registry.read("p", now)).toMatchObject({ chunks: [], nextSeq: 1, exited: false })
    }),
  )

  it(
    "keeps a process that has exited and not closed for as long as it takes",
    effect(function* () {
      const { registry, child } = yield* begin()
      child.exit(0)
      yield* pass(10 * 60_000)
      expect(yield* registry.read("p", now)).toMatchObject({ exited: true, closed: false })
      child.output("stdout", "late")
      child.end()
      yield* settle
      expect(yield* registry.read("p", now)).toMatchObject({ exited: true, closed: true, nextSeq: 4 })
      yield* pass(30_000)
      expect(yield* Effect.flip(registry.read("p", now))).toMatchObject({ reason: "Unknown" })
    }),
  )

  it(
    "keeps the scope of a child whose group lives on after it is forgotten",
    effect(function* () {
      const { registry, child, close } = yield* begin()
      child.lingering = true
      child.finish()
      yield* pass(60_000)
      expect(yield* Effect.flip(registry.read("p", now))).toMatchObject({ reason: "Unknown" })
      expect(child.released).toBe(false)
      child.lingering = false
      yield* pass(30_000)
      expect(child.released).toBe(true)
      const other = yield* begin()
      other.child.lingering = true
      other.child.finish()
      yield* pass(60_000)
      yield* other.close
      expect(other.child.released).toBe(true)
      yield* close
    }),
  )

  it(
    "kills every child when its scope closes, starting ones too",
    effect(function* () {
      const { registry, fake, close } = yield* make()
      for (const id of ["a", "b", "c"]) yield* registry.start(id, pipe)
      fake.children[1]?.finish()
      yield* close
      expect(fake.children.map((child) => child.released)).toEqual([true, true, true])
    }),
  )

  it(
    "has no more fibers and finalizers after a process than before",
    effect(function* () {
      const scope = yield* Scope.make()
      const fake = yield* Fake.make({ script: (child) => Effect.sync(() => child.finish()) })
      const spawner = yield* Effect.provide(Spawner, fake.layer)
      const registry = yield* Scope.provide(
        ProcessRegistry.make(spawner, ProcessRegistry.defaultOptions),
        scope,
      )
      const finalizers = () => {
        const { state } = scope as unknown as {
          readonly state: { readonly finalizers?: ReadonlyMap<unknown, unknown> }
        }
        return state.finalizers?.size ?? 0
      }
      yield* registry.start("first", pipe)
      yield* pass(30_000)
      const before = finalizers()
      for (let index = 0; index < 20; index++) yield* registry.start(`p${index}`, pipe)
      expect(finalizers()).toBeGreaterThan(before)
      yield* pass(30_000)
      expect(finalizers()).toBe(before)
    }),
  )
})
