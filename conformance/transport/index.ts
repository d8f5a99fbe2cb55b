/** The transport suite: the cases, a plain runner, and the suite for vitest, which it needs. */
export * from "./runner.ts"
export * as TransportSuite from "./TransportSuite.ts"
