/**
 * The wire as data: methods with their schemas, dialects, messages, limits and the encoding of bytes and paths.
 *
 * @module
 * @example
 * ```ts
 * import * as Result from "effect/Result"
 * import { Message, Methods, PathUri } from "procwire/effect/protocol"
 *
 * Message.requestText(1, "process/read", { processId: "build", waitMs: 1000 })
 * Result.map(Message.fromText('{"id":1,"result":{}}'), ({ kind }) => kind) // right("response")
 * PathUri.toPath("file:///srv/my%20app", "linux") // right("/srv/my app")
 * Object.keys(Methods.requests) // "initialize", "environment/info", …
 * ```
 */
export * as Buffers from "./Buffers.ts"
export * as Bytes from "./Bytes.ts"
export * as Confinement from "./Confinement.ts"
export * as CutText from "./CutText.ts"
export * as Dialect from "./dialect/Dialect.ts"
export * as Dialects from "./dialect/Dialects.ts"
export * as EnvNames from "./EnvNames.ts"
export * as Environment from "./Environment.ts"
export * as ErrorCode from "./ErrorCode.ts"
export * as ErrorText from "./ErrorText.ts"
export * as Features from "../features/Wires.ts"
export * as FileSystem from "../features/fs/wire.ts"
export * as Hasher from "./Hasher.ts"
export * as HttpRequest from "../features/http/wire.ts"
export * as Integers from "./Integers.ts"
export * as Json from "./Json.ts"
export * as List from "./List.ts"
export * as Limits from "./Limits.ts"
export * as Mark from "../features/marks/wire.ts"
export * as MemoryPool from "./MemoryPool.ts"
export * as Message from "./Message.ts"
export type { Repeatable } from "./Method.ts"
export * as Methods from "./Methods.ts"
export * as NativePath from "./NativePath.ts"
export * as PathUri from "./PathUri.ts"
export * as Process from "./Process.ts"
export * as Ending from "./Ending.ts"
export * as Receipt from "../features/receipt/wire.ts"
export * as Sandbox from "./Sandbox.ts"
export * as SessionScope from "./SessionScope.ts"
export * as Screen from "../features/screen/wire.ts"
export * as Shape from "./shape/index.ts"
export * as Session from "./Session.ts"
export * as Signals from "./Signals.ts"
export * as Trace from "./Trace.ts"
export * as Wait from "../features/wait/wire.ts"
export * as V0 from "./dialect/v0.ts"
