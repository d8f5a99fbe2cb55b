/** `procwire` in a browser: everything of core, and `connect` of `procwire/web`. */
export * from "../../core/index.ts"
export { connect } from "./WebClient.ts"
