/**
 * The transport suite: its cases, a plain runner, and its vitest form, which needs vitest.
 *
 * @module
 * @example
 * ```ts
 * import { TransportSuite } from "procwire/conformance/transport"
 * import { Memory } from "procwire/transport"
 *
 * TransportSuite.suite("my transport", Memory.makePair())
 * ```
 */
export * from "./runner.ts"
export * as TransportSuite from "./TransportSuite.ts"
