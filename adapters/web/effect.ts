/**
 * procwire for pages in Effect: everything of core, and transports to servers over a WebSocket of the web.
 *
 * @module
 */
export * from "../../core/index.ts"
export { open } from "./WebClient.ts"
export type { WebTarget } from "./WebClient.ts"
