/**
 * A spawner with one fault, made from a good one, and the case that must fail on it.
 */
import * as Effect from "effect/Effect"
import type * as Spawner from "../../../core/spawn/Spawner.ts"

export type Service = Spawner.SpawnerService
export type Events = Spawner.SpawnEvents

export interface Broken {
  /** The fault. */
  readonly does: string
  /** The case that has to fail, and what its reason says. */
  readonly caughtBy: string
  readonly reason: RegExp
  readonly make: (good: Service) => Service
}

export const withEvents =
  (change: (events: Events) => Events) =>
  (good: Service): Service => ({
    ...good,
    spawn: (spec, events) => good.spawn(spec, change(events)),
  })

export const withSpec =
  (change: (spec: Spawner.SpawnSpec) => Spawner.SpawnSpec) =>
  (good: Service): Service => ({
    ...good,
    spawn: (spec, events) => good.spawn(change(spec), events),
  })

export const withHandle =
  (change: (handle: Spawner.ChildHandle) => Spawner.ChildHandle) =>
  (good: Service): Service => ({
    ...good,
    spawn: (spec, events) => Effect.map(good.spawn(spec, events), change),
  })
