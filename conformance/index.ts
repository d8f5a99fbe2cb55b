/**
 * The conformance suite as a library: the cases, what runs them, and what reports them. `vitest.ts` is apart, because it
 * needs vitest.
 */
export * as Baseline from "./Baseline.ts"
export * as Bench from "./Bench.ts"
export * as Case from "./Case.ts"
export * as Check from "./Check.ts"
export * as Child from "./Child.ts"
export { cases } from "./cases/index.ts"
export * as Junit from "./Junit.ts"
export * as Report from "./Report.ts"
export * as RunCase from "./RunCase.ts"
export * as Runner from "./Runner.ts"
export * as Select from "./Select.ts"
export * as Tap from "./Tap.ts"
export * as Target from "./Target.ts"
export { SeamCase, SeamRunner, SpawnerRunner, cases as spawnerCases } from "./spawner/runner.ts"
export { TransportRunner, cases as transportCases } from "./transport/runner.ts"
export * as Verdict from "./Verdict.ts"
export * as Wire from "./wire/Wire.ts"
