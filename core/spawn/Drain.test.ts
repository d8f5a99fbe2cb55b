import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { effect, pass } from "../testing/Effects.ts"
import * as Drain from "./Drain.ts"
import * as Fake from "./Fake.ts"
import { Spawner, type SpawnEvents, type SpawnSpec } from "./Spawner.ts"

const spec: SpawnSpec = { argv: ["a"], cwd: "/", env: {}, stdio: { kind: "pipe", stdin: false } }
const events = { output: () => {}, end: () => {}, exit: () => {} }

/** A drain with so many children. */
const begin = (count: number) =>
  Effect.gen(function* () {
    const fake = yield* Fake.make()
    const drain = Drain.make(yield* Effect.provide(Spawner, fake.layer))
    const scopes = yield* Effect.replicateEffect(Scope.make(), count)
    for (const scope of scopes) yield* Scope.provide(drain.spawner.spawn(spec, events), scope)
    return { ...drain, children: fake.children, scopes }
  })

describe("Drain", () => {
  it(
    "sends SIGTERM to every group, goes on when all are gone, and stays so that clients are told",
    effect(function* () {
      const { children, drain } = yield* begin(2)
      const done = yield* Effect.forkChild(drain(10_000))
      yield* pass(100)
      for (const child of children) expect(child.signals).toEqual(["SIGTERM", "SIGCONT"])
      children[0]?.finish(0)
      children[1]?.finish(3)
      yield* pass(Drain.farewellMillis + 40)
      expect(done.pollUnsafe()).toEqual(Exit.void)
    }),
  )

  it(
    "says that the server has ended a child, to which nothing else is known to have happened",
    effect(function* () {
      const fake = yield* Fake.make()
      const { spawner, drain } = Drain.make(yield* Effect.provide(Spawner, fake.layer))
      const endings: Array<unknown> = []
      const told = { ...events, exit: (_: unknown, ending?: unknown) => void endings.push(ending) }
      for (let i = 0; i < 3; i++) yield* spawner.spawn(spec, told)
      const [early, late, other] = fake.children
      early?.finish(0, { userCpuMicros: 1 })
      yield* Effect.forkChild(drain(10_000))
      yield* pass(10)
      late?.finish(0, { userCpuMicros: 2 })
      other?.finish(0)
      const ended = { endedBy: "serverEnd" }
      expect(endings).toEqual([{ userCpuMicros: 1 }, { userCpuMicros: 2, ...ended }, ended])
    }),
  )

  it(
    "ends children that were taken over from a keeper like others",
    effect(function* () {
      const fake = yield* Fake.make()
      const other = yield* Fake.make()
      const kept = yield* Effect.provide(Spawner, other.layer)
      const { drain, watch } = Drain.make(yield* Effect.provide(Spawner, fake.layer))
      const left = {
        about: "",
        writeIds: [],
        lost: { stdout: 0, stderr: 0, pty: 0 },
        adopt: (events: SpawnEvents) => kept.spawn(spec, events),
        pass: Effect.void,
        end: Effect.void,
      }
      const keeper = watch({
        left: Effect.succeed([left]),
        sessions: Effect.succeed([]),
        remember: () => () => {},
        leave: Effect.void,
      })
      const endings: Array<unknown> = []
      const told = { ...events, exit: (_: unknown, ending?: unknown) => void endings.push(ending) }
      for (const { adopt } of yield* keeper.left) yield* adopt(told, () => {})
      const done = yield* Effect.forkChild(drain(10_000))
      yield* pass(100)
      const [child] = other.children
      expect(child?.signals).toEqual(["SIGTERM", "SIGCONT"])
      expect(done.pollUnsafe()).toBeUndefined()
      child?.finish(0)
      yield* pass(Drain.farewellMillis + 40)
      expect(endings).toEqual([{ endedBy: "serverEnd" }])
      expect(done.pollUnsafe()).toEqual(Exit.void)
    }),
  )

  it(
    "waits for a group that outlives its leader",
    effect(function* () {
      const { children, drain } = yield* begin(1)
      const done = yield* Effect.forkChild(drain(10_000))
      const [child] = children
      if (child !== undefined) child.lingering = true
      child?.finish(0)
      yield* pass(5000)
      expect(done.pollUnsafe()).toBeUndefined()
      if (child !== undefined) child.lingering = false
      yield* pass(1000)
      expect(done.pollUnsafe()).toEqual(Exit.void)
    }),
  )

  it(
    "goes on when the output of a child that has exited is read, however late",
    effect(function* () {
      const { children, drain } = yield* begin(1)
      const done = yield* Effect.forkChild(drain(10_000))
      yield* pass(100)
      const [child] = children
      // A kill ends no stream of its own.
      if (child !== undefined) child.mortal = false
      child?.exit(3)
      yield* pass(500)
      child?.output("stdout", "late")
      child?.end("stderr")
      yield* pass(300)
      expect(done.pollUnsafe()).toBeUndefined()
      child?.end("stdout")
      yield* pass(Drain.farewellMillis + 40)
      expect(done.pollUnsafe()).toEqual(Exit.void)
    }),
  )

  it(
    "does not wait for ever for the output of a child that has exited",
    effect(function* () {
      const { children, drain } = yield* begin(1)
      const done = yield* Effect.forkChild(drain(10_000))
      if (children[0] !== undefined) children[0].mortal = false
      children[0]?.exit(3)
      yield* pass(Drain.farewellMillis + 40)
      expect(done.pollUnsafe()).toBeUndefined()
      yield* pass((Drain.mostLooks + 2) * 20 + Drain.farewellMillis)
      expect(done.pollUnsafe()).toEqual(Exit.void)
    }),
  )

  it(
    "does not wait for a child whose scope has closed",
    effect(function* () {
      const { drain, scopes } = yield* begin(2)
      const done = yield* Effect.forkChild(drain(10_000))
      yield* pass(100)
      expect(done.pollUnsafe()).toBeUndefined()
      for (const scope of scopes) yield* Scope.close(scope, Exit.void)
      yield* pass(Drain.farewellMillis + 40)
      expect(done.pollUnsafe()).toEqual(Exit.void)
    }),
  )

  it(
    "kills what outlives the grace period",
    effect(function* () {
      const { children, drain } = yield* begin(2)
      children[0]?.finish(0)
      if (children[1] !== undefined) children[1].mortal = false
      const done = yield* Effect.forkChild(drain(1000))
      yield* pass(999)
      expect(children[1]?.kills).toBe(0)
      yield* pass(1 + Drain.farewellMillis)
      expect(children[1]?.kills).toBe(1)
      // Of a machine that is busy, the end of a child comes late.
      yield* pass(1000)
      expect(done.pollUnsafe()).toBeUndefined()
      children[1]?.finish(0)
      yield* pass(Drain.farewellMillis + 40)
      expect(done.pollUnsafe()).toEqual(Exit.void)
    }),
  )

  it(
    "does not wait for ever for a child that no kill ends",
    effect(function* () {
      const { drain, children } = yield* begin(1)
      if (children[0] !== undefined) children[0].mortal = false
      const done = yield* Effect.forkChild(drain(1000))
      yield* pass(1000 + Drain.killedMillis + Drain.farewellMillis)
      expect(done.pollUnsafe()).toEqual(Exit.void)
    }),
  )

  it(
    "starts nothing once it has begun, and ends children that were just starting",
    effect(function* () {
      const start = yield* Semaphore.make(1)
      yield* start.take(1)
      const fake = yield* Fake.make({ beforeSpawn: () => start.take(1) })
      const { spawner, drain } = Drain.make(yield* Effect.provide(Spawner, fake.layer))
      const late = yield* Effect.forkChild(
        Effect.scoped(Effect.andThen(spawner.spawn(spec, events), Effect.never)),
      )
      yield* pass(1)
      yield* drain(1000)
      const error = yield* Effect.flip(Effect.scoped(spawner.spawn(spec, events)))
      expect(error.reason).toBe("ShuttingDown")
      yield* start.release(1)
      yield* pass(1)
      expect(fake.children.map(({ signals }) => signals)).toEqual([["SIGTERM", "SIGCONT"]])
      yield* Fiber.interrupt(late)
    }),
  )

  it(
    "without a grace period leaves the children to their scopes, and forgets those whose scope has closed",
    effect(function* () {
      const { children, drain, scopes } = yield* begin(1)
      yield* drain(0)
      expect(children[0]?.signals).toEqual([])
      for (const scope of scopes) yield* Scope.close(scope, Exit.void)
      yield* drain(1000)
      expect(children[0]?.signals).toEqual([])
    }),
  )
})
