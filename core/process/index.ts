/**
 * Processes on the server's side: the registry of a session, the output log of each process, limits and metrics.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { ProcessRegistry } from "procwire/effect/process"
 * import { Spawner } from "procwire/effect/spawn"
 *
 * const program = Effect.gen(function* () {
 *   const processes = yield* ProcessRegistry.make(yield* Spawner.Spawner, ProcessRegistry.defaultOptions)
 *   const stdio = { kind: "pipe", stdin: false } as const
 *   yield* processes.start("p", { argv: ["echo", "hi"], cwd: "/tmp", env: { PATH: "/bin" }, stdio })
 *   return yield* processes.read("p", { afterSeq: 0, maxBytes: Infinity, waitMillis: 1000 })
 * })
 * ```
 *
 * @module
 */
export * as Cause from "./Cause.ts"
export * as Control from "./Control.ts"
export * as Extension from "./Extension.ts"
export type { Extend, FeatureServices } from "./Lifecycle.ts"
export * as Grace from "./Grace.ts"
export * as Listed from "./Listed.ts"
export * as LongPoll from "./LongPoll.ts"
export * as Metrics from "./Metrics.ts"
export * as OutputLog from "./OutputLog.ts"
export * as Process from "./Process.ts"
export * as ProcessError from "./ProcessError.ts"
export * as ProcessRegistry from "./ProcessRegistry.ts"
export * as ProcessTable from "./ProcessTable.ts"
export * as Retention from "./Retention.ts"
export * as Sizes from "./Sizes.ts"
export * as StartGate from "./StartGate.ts"
export * as StdinQueue from "./StdinQueue.ts"
