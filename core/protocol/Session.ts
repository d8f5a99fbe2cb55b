/** The handshake: `initialize`, then the notification `initialized`. */
import * as Schema from "effect/Schema"
import { EnvironmentInfo } from "./Environment.ts"

/** `resumeSessionId` takes up a session that an earlier connection has left. */
export const InitializeParams = Schema.Struct({
  clientName: Schema.String,
  resumeSessionId: Schema.optional(Schema.NullOr(Schema.String)),
}).annotations({ identifier: "InitializeParams" })
export type InitializeParams = typeof InitializeParams.Type

/** `sessionId` is a UUID v4; whoever knows it may resume the session. */
export const InitializeResult = Schema.Struct({
  sessionId: Schema.String,
  environmentInfo: EnvironmentInfo,
}).annotations({ identifier: "InitializeResult" })
export type InitializeResult = typeof InitializeResult.Type
