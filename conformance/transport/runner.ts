/** The transport suite for programs that have no vitest: the cases and a plain runner. */
export * as TransportContext from "./TransportContext.ts"
export { cases } from "./cases/index.ts"
export * as TransportRunner from "./TransportRunner.ts"
