/**
 * The transport suite without vitest: its cases and a plain runner.
 *
 * @module
 * @example
 * ```ts
 * import { TransportRunner } from "procwire/conformance/transport/runner"
 * import { Memory } from "procwire/transport"
 *
 * const outcomes = await TransportRunner.run(Memory.makePair())
 * console.log(outcomes.filter(({ status }) => status === "fail"))
 * ```
 */
export { End, type Rest } from "./End.ts"
export * as TransportContext from "./TransportContext.ts"
export { cases } from "./cases/index.ts"
export * as TransportRunner from "./TransportRunner.ts"
