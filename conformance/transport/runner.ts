/** The transport suite for programs that have no vitest: the cases and a plain runner. */
export * as Bench from "./Bench.ts"
export { cases } from "./cases/index.ts"
export * as TransportRunner from "./TransportRunner.ts"
