/** The transport suite: the cases, a plain runner, and the suite for vitest. */
export * as Bench from "./Bench.ts"
export { cases } from "./cases/index.ts"
export * as TransportRunner from "./TransportRunner.ts"
export * as TransportSuite from "./TransportSuite.ts"
