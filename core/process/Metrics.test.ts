import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as MetricState from "effect/MetricState"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import * as Fake from "../spawn/Fake.ts"
import * as SpawnError from "../spawn/SpawnError.ts"
import { effect, settle } from "../testing/Effects.ts"
import * as Metrics from "./Metrics.ts"
import * as OutputLog from "./OutputLog.ts"
import { pauseAbove, Process } from "./Process.ts"

/** By how much metrics have grown since the last call; those of this program are shared by all tests. */
const growth = () => {
  let before = new Map<string, number>()
  return Effect.gen(function* () {
    const now = new Map<string, number>()
    for (const { metricKey, metricState } of yield* Metrics.snapshot) {
      const state: unknown = metricState
      const name = metricKey.name.replace(/^procwire_|_total$/g, "")
      if (MetricState.isCounterState(state) || MetricState.isHistogramState(state))
        now.set(name, Number(state.count))
      if (MetricState.isGaugeState(state)) now.set(name, Number(state.value))
    }
    const grown = [...now].flatMap(([name, value]) => {
      const change = value - (before.get(name) ?? 0)
      return change === 0 ? [] : [[name, change]]
    })
    before = now
    return Object.fromEntries(grown) as Readonly<Record<string, number>>
  })
}

describe("Metrics", () => {
  it(
    "counts a process while it runs, its output, its stalls and what its ring drops",
    effect(function* () {
      const grown = growth()
      yield* grown
      const process = new Process(
        "p",
        { stdio: { kind: "pipe", stdin: false } },
        { ...OutputLog.defaultLimits, bytes: 1000 },
      )
      const spec = { argv: ["a"] as const, cwd: "/", env: {}, stdio: process.stdio }
      const child = new Fake.FakeChild(1, spec, process.events)
      process.begin(child.handle(Fake.allCapabilities), undefined)
      process.release()
      yield* Effect.fork(process.supervise)
      yield* settle
      expect(yield* grown).toEqual({ processes_started: 1, processes_running: 1 })
      child.output("stdout", "x".repeat(700))
      expect(yield* grown).toEqual({ output_bytes: 700 })
      child.output("stdout", "x".repeat(600))
      expect(yield* grown).toEqual({ output_bytes: 600, evicted_bytes: 700 })
      const attachment = process.attach(0)
      child.output("stdout", "x".repeat(pauseAbove + 1))
      const { reader_stalls: stalls } = yield* grown
      expect(stalls).toBe(1)
      attachment.detach()
      yield* grown
      child.finish(0)
      yield* settle
      expect(yield* grown).toEqual({ processes_exited: 1, processes_running: -1 })
    }),
  )

  it(
    "counts a process as ended when nobody waits for it any more",
    effect(function* () {
      const grown = growth()
      yield* grown
      const waiting = yield* Effect.fork(Metrics.whileRunning(Effect.never))
      yield* settle
      yield* Fiber.interrupt(waiting)
      expect(yield* grown).toEqual({ processes_started: 1, processes_exited: 1 })
    }),
  )

  it(
    "times starts that succeed and counts those that fail",
    effect(function* () {
      const grown = growth()
      yield* grown
      yield* Metrics.spawning(Effect.void)
      const error = new SpawnError.SpawnError({ reason: "NotFound", message: "gone" })
      yield* Effect.flip(Metrics.spawning(Effect.fail(error)))
      expect(yield* grown).toEqual({ spawn_seconds: 1, spawn_failures: 1 })
    }),
  )

  it(
    "counts sessions and connections while they last",
    effect(function* () {
      const grown = growth()
      yield* grown
      const scope = yield* Scope.make()
      yield* Scope.extend(Metrics.inSession, scope)
      expect(yield* Metrics.whileConnected(grown)).toEqual({
        sessions: 1,
        connections: 1,
        connections_opened: 1,
      })
      yield* Scope.close(scope, Exit.void)
      expect(yield* grown).toEqual({ sessions: -1, connections: -1 })
    }),
  )
})
