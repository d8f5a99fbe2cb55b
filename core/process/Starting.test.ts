// ProcessRegistry.start, Lifecycle.start and what ProcessTable does meanwhile: reservation, cancellation, first output.
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { begin, bytes, gone, make, makeSlow, now, pipe } from "./testing/Registry.ts"
import * as Fake from "../spawn/Fake.ts"
import type { Spawner } from "../spawn/Spawner.ts"
import * as ProcessRegistry from "./ProcessRegistry.ts"

describe("ProcessRegistry.start", () => {
  // guards: reserved-id
  it(
    "invariant 6: reserves a process id before the first yield, and a failed spawn frees it",
    effect(function* () {
      const { gate, registry } = yield* makeSlow
      const first = yield* Effect.forkChild(registry.start("p", pipe))
      yield* settle
      expect(yield* Effect.flip(registry.start("p", pipe))).toMatchObject({ reason: "AlreadyExists" })
      yield* Deferred.fail(gate, gone)
      expect(yield* Effect.flip(Fiber.join(first))).toBe(gone)
      const again = yield* Effect.exit(registry.start("p", pipe))
      expect(again).toEqual(Exit.fail(gone))
    }),
  )

  it(
    "lets exactly one of two concurrent starts win",
    effect(function* () {
      const { registry, fake } = yield* make({ beforeSpawn: () => Effect.yieldNow })
      const both = yield* Effect.all(
        [Effect.exit(registry.start("p", pipe)), Effect.exit(registry.start("p", pipe))],
        { concurrency: "unbounded" },
      )
      expect(both.filter(Exit.isSuccess).length).toBe(1)
      expect(fake.children.length).toBe(1)
    }),
  )

  it(
    "keeps the id of a running and of a retained process",
    effect(function* () {
      const { registry, child } = yield* begin()
      expect(yield* Effect.flip(registry.start("p", pipe))).toMatchObject({ reason: "AlreadyExists" })
      child.finish()
      yield* pass(29_999)
      expect(yield* Effect.flip(registry.start("p", pipe))).toMatchObject({ reason: "AlreadyExists" })
    }),
  )

  it(
    "frees the id after a spawn that broke",
    effect(function* () {
      const { registry } = yield* make({ beforeSpawn: () => Effect.die(new Error("broken")) })
      expect(Exit.isFailure(yield* Effect.exit(registry.start("p", pipe)))).toBe(true)
      expect(yield* registry.write("p", bytes("x"), "w")).toBe("unknownProcess")
      expect(yield* registry.terminate("p")).toBe(false)
    }),
  )

  it(
    "is cancelled at once by terminate, and the child that comes after all is killed",
    effect(function* () {
      const { gate, registry, fake } = yield* makeSlow
      const start = yield* Effect.forkChild(Effect.flip(registry.start("p", pipe)))
      yield* settle
      expect(yield* registry.terminate("p")).toBe(true)
      expect(yield* Fiber.join(start)).toMatchObject({ reason: "StartCancelled", processId: "p" })
      expect(yield* registry.terminate("p")).toBe(false)
      const second = yield* Effect.forkChild(registry.start("p", pipe))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(second)
      expect(fake.children.map((child) => child.released)).toEqual([true, false])
      expect((yield* registry.read("p", now)).nextSeq).toBe(1)
    }),
  )

  it(
    "goes on if the caller is interrupted",
    effect(function* () {
      const { gate, registry } = yield* makeSlow
      const start = yield* Effect.forkChild(registry.start("p", pipe))
      yield* settle
      yield* Fiber.interrupt(start)
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      expect(yield* registry.read("p", now)).toMatchObject({ nextSeq: 1, exited: false })
    }),
  )

  it(
    "holds back everything about a starting process until it has started, or has not",
    effect(function* () {
      const { gate, registry, fake } = yield* makeSlow
      yield* Effect.forkChild(registry.start("p", pipe))
      yield* settle
      const requests = yield* Effect.forkChild(
        Effect.all(
          [registry.read("p", now), registry.write("p", bytes("x"), "w"), registry.signal("p", "SIGINT")],
          {
            concurrency: "unbounded",
          },
        ),
      )
      yield* pass(1000)
      yield* Deferred.succeed(gate, undefined)
      const [state, status] = yield* Fiber.join(requests)
      expect(state.nextSeq).toBe(1)
      expect(status).toBe("accepted")
      expect(fake.children[0]).toMatchObject({ written: "x", signals: ["SIGINT"] })
    }),
  )

  it(
    "answers what waited for a start that failed as for an unknown process",
    effect(function* () {
      const { gate, registry } = yield* makeSlow
      yield* Effect.forkChild(Effect.ignore(registry.start("p", pipe)))
      yield* settle
      const requests = yield* Effect.forkChild(
        Effect.all(
          [
            Effect.flip(registry.read("p", now)),
            registry.write("p", bytes("x"), "w"),
            registry.signal("p", "SIGINT"),
          ],
          { concurrency: "unbounded" },
        ),
      )
      yield* settle
      yield* Deferred.fail(gate, gone)
      const [error, status] = yield* Fiber.join(requests)
      expect(error).toMatchObject({ reason: "Unknown" })
      expect(status).toBe("unknownProcess")
    }),
  )

  // guards: one-process
  it(
    "invariant 8: requests on one process id take effect in arrival order, whenever the start is done",
    effect(function* () {
      for (let before = 0; before <= 4; before++) {
        const { gate, registry, fake } = yield* makeSlow
        const fibers: Array<Fiber.Fiber<unknown, unknown>> = [
          yield* Effect.forkChild(registry.start("p", pipe)),
        ]
        yield* settle
        for (let index = 0; index < before; index++) {
          fibers.push(yield* Effect.forkChild(registry.write("p", bytes(`${index}`), undefined)))
        }
        yield* settle
        Deferred.doneUnsafe(gate, Exit.void)
        // From here on a write arrives at each step of the start.
        for (let index = before; index < 9; index++) {
          fibers.push(Effect.runFork(registry.write("p", bytes(`${index}`), undefined)))
          yield* Effect.yieldNow
        }
        yield* Fiber.joinAll(fibers)
        expect(fake.children[0]?.written).toBe("012345678")
      }
    }),
  )

  it(
    "holds the first output of a child until the client that started it has attached",
    effect(function* () {
      const { registry, fake } = yield* make()
      const process = yield* registry.start("p", pipe)
      const child = yield* fake.next
      for (let i = 0; i < 48; i++) child.output("stdout", new Uint8Array(64 * 1024).fill(i))
      expect(child.paused).toBe(true)
      const attachment = process.attach(0)
      process.release()
      expect(attachment.next()).toMatchObject({ kind: "output", seq: 1 })
      attachment.detach()
      expect(child.paused).toBe(false)
      expect(process.log.size().bytes).toBe(1024 * 1024)
    }),
  )

  it(
    "pauses a child that wrote much before it was delivered",
    effect(function* () {
      const spawner: Spawner["Service"] = {
        capabilities: Fake.allCapabilities,
        spawn: (spec, events) =>
          Effect.sync(() => {
            const child = new Fake.FakeChild(1, spec, events)
            for (let i = 0; i < 48; i++) child.output("stdout", new Uint8Array(64 * 1024))
            children.push(child)
            return child.handle(Fake.allCapabilities)
          }),
      }
      const children: Array<Fake.FakeChild> = []
      const registry = yield* ProcessRegistry.make(spawner, ProcessRegistry.defaultOptions)
      const process = yield* registry.start("p", pipe)
      expect(children[0]?.paused).toBe(true)
      expect(process.log.after(0)?.seq).toBe(1)
      registry.release()
      expect(children[0]?.paused).toBe(false)
    }),
  )
})
