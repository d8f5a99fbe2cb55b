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
export type { Client, ClientProcess } from "../../core/client/Client.ts"
export { ClientError } from "../../core/client/ClientError.ts"
export type { ClientReason } from "../../core/client/ClientError.ts"
export type { ErrorKind } from "../../core/protocol/ErrorCode.ts"
export type { Command, Dollar, DollarOptions } from "../../core/client/command/Command.ts"
export type { CurrentOptions as ConnectOptions } from "../../core/client/Connecting.ts"
export type { CallOptions, Signal } from "../../core/client/GivingUp.ts"
export type { ProcessEvent } from "../../core/client/ProcessEvent.ts"
export type { Result } from "../../core/client/Result.ts"
export type { RunOptions } from "../../core/client/RunOptions.ts"
export type { StartOptions } from "../../core/client/StartOptions.ts"
export { connect, open } from "./WebClient.ts"
export type { WebTarget } from "./WebClient.ts"
