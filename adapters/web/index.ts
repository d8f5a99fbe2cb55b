/**
 * procwire for web pages, and for whatever else has a `WebSocket` and no `node:*`: the client, without a server.
 *
 * @example
 * ```ts
 * import { connect } from "procwire/web"
 *
 * await using client = await connect({ url: "ws://127.0.0.1:7000" })
 * for await (const line of client.$`make`.lines()) console.log(line)
 * ```
 *
 * @module
 */
export * from "../../core/client/door.ts"
export { connect } from "./WebClient.ts"
export type { WebTarget } from "./WebClient.ts"
