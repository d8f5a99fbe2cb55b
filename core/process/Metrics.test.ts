import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { defaults } from "../protocol/Limits.ts"
import * as Fake from "../spawn/Fake.ts"
import * as SpawnError from "../spawn/SpawnError.ts"
import { Spawner } from "../spawn/Spawner.ts"
import { effect, settle } from "../testing/Effects.ts"
import * as Metrics from "./Metrics.ts"
import * as OutputLog from "./OutputLog.ts"
import { pauseAbove, Process } from "./Process.ts"
import * as ProcessRegistry from "./ProcessRegistry.ts"
import { noStdin } from "./testing/Registry.ts"

/** By how much metrics have grown since the last call. */
const growthOf = (metrics: Metrics.Metrics) => {
  let before = new Map<string, number>()
  return () => {
    const now = new Map<string, number>()
    for (const { name, value } of metrics.snapshot())
      now.set(name.replace(/^procwire_|_total$/g, ""), typeof value === "number" ? value : value.count)
    const grown = [...now].flatMap(([name, value]) => {
      const change = value - (before.get(name) ?? 0)
      return change === 0 ? [] : [[name, change]]
    })
    before = now
    return Object.fromEntries(grown) as Readonly<Record<string, number>>
  }
}

describe("Metrics", () => {
  it(
    "counts a process while it runs, its output, its stalls and what its ring drops",
    effect(function* () {
      const metrics = Metrics.make()
      const grown = growthOf(metrics)
      const process = new Process(
        "p",
        { stdio: { kind: "pipe", stdin: false } },
        { ...OutputLog.defaultCapacity, bytes: 1000 },
        { metrics },
      )
      const spec = { argv: ["a"] as const, cwd: "/", env: {}, stdio: process.stdio }
      const child = new Fake.FakeChild(1, spec, process.events)
      process.begin(child.handle(Fake.allCapabilities), undefined)
      process.release()
      yield* Effect.forkChild(process.supervise)
      yield* settle
      expect(grown()).toEqual({ processes_started: 1, processes_running: 1 })
      child.output("stdout", "x".repeat(700))
      expect(grown()).toEqual({ output_bytes: 700 })
      child.output("stdout", "x".repeat(1000))
      expect(grown()).toEqual({ output_bytes: 1000, evicted_bytes: 700 })
      const attachment = process.attach(0)
      child.output("stdout", "x".repeat(pauseAbove + 1))
      const { reader_stalls: stalls } = grown()
      expect(stalls).toBe(1)
      attachment.detach()
      grown()
      child.finish(0)
      yield* settle
      expect(grown()).toEqual({ processes_exited: 1, processes_running: -1 })
    }),
  )

  it(
    "counts a process as ended when nobody waits for it any more",
    effect(function* () {
      const metrics = Metrics.make()
      const grown = growthOf(metrics)
      const waiting = yield* Effect.forkChild(metrics.whileRunning(Effect.never))
      yield* settle
      yield* Fiber.interrupt(waiting)
      expect(grown()).toEqual({ processes_started: 1, processes_exited: 1 })
    }),
  )

  it(
    "times starts that succeed and counts those that fail",
    effect(function* () {
      const metrics = Metrics.make()
      const grown = growthOf(metrics)
      yield* metrics.spawning(Effect.void)
      const error = new SpawnError.SpawnError({ reason: "NotFound", message: "gone" })
      yield* Effect.flip(metrics.spawning(Effect.fail(error)))
      expect(grown()).toEqual({ spawn_seconds: 1, spawn_failures: 1 })
    }),
  )

  it(
    "counts sessions and connections while they last",
    effect(function* () {
      const metrics = Metrics.make()
      const grown = growthOf(metrics)
      const scope = yield* Scope.make()
      yield* metrics.inSession(scope)
      expect(yield* metrics.whileConnected(Effect.sync(grown))).toEqual({
        sessions: 1,
        connections: 1,
        connections_opened: 1,
      })
      yield* Scope.close(scope, Exit.void)
      expect(grown()).toEqual({ sessions: -1, connections: -1 })
    }),
  )

  it(
    "counts two servers in one program apart",
    effect(function* () {
      const begin = Effect.gen(function* () {
        const metrics = Metrics.make()
        const fake = yield* Fake.make()
        const spawner = yield* Effect.provide(Spawner, fake.layer)
        const registry = yield* ProcessRegistry.make(
          spawner,
          ProcessRegistry.defaultOptions,
          ProcessRegistry.share(defaults, metrics),
        )
        return { registry, fake, grown: growthOf(metrics) }
      })
      const [one, other] = [yield* begin, yield* begin]
      for (const id of ["a", "b"]) yield* one.registry.start(id, noStdin)
      yield* other.registry.start("a", noStdin)
      one.fake.children[0]?.output("stdout", "one")
      other.fake.children[0]?.output("stdout", "other")
      yield* settle
      const started = (processes: number, output_bytes: number) => ({
        processes_started: processes,
        processes_running: processes,
        spawn_seconds: processes,
        output_bytes,
      })
      expect(one.grown()).toEqual(started(2, 3))
      expect(other.grown()).toEqual(started(1, 5))
    }),
  )
})
