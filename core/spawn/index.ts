/**
 * The interface of spawners, which start processes; the gate of what a child may reach; the policy for environments; a
 * scripted spawner for tests.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Fake, Spawner } from "procwire/effect/spawn"
 *
 * const program = Effect.gen(function* () {
 *   const fake = yield* Fake.make({ script: (child) => Effect.sync(() => child.finish(0)) })
 *   const { spawn } = yield* Effect.provide(Spawner.Spawner, fake.layer)
 *   const stdio = { kind: "pipe", stdin: false } as const
 *   const events = { output: () => {}, end: () => {}, exit: () => {} }
 *   return yield* spawn({ argv: ["true"], cwd: "/", env: {}, stdio }, events)
 * })
 * ```
 *
 * @module
 */
export * as Drain from "./Drain.ts"
export * as Egress from "./Egress.ts"
export * as EnvPolicy from "./EnvPolicy.ts"
export * as Fake from "./Fake.ts"
export * as Host from "./Host.ts"
export * as PlainSpawner from "./PlainSpawner.ts"
export * as ProcessEvidence from "./ProcessEvidence.ts"
export * as ProcessPorts from "./ProcessPorts.ts"
export * as SpawnError from "./SpawnError.ts"
export * as Spawner from "./Spawner.ts"
export * as SpecCheck from "./SpecCheck.ts"
