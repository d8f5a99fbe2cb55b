/**
 * `procwire` in a browser: everything of core, and `connect` of `procwire/web`.
 *
 * @module
 */
export * from "../../core/index.ts"
export { connect } from "./WebClient.ts"
