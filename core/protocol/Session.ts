/** The handshake: `initialize`, then the notification `initialized`. */
import * as Schema from "effect/Schema"
import { EnvironmentInfo } from "./Environment.ts"
import { U64 } from "./Integers.ts"

/**
 * `resumeSessionId` takes up a session that an earlier connection has left. With the capability
 * `sessionReplay`, `replayAfter` names processes of that session and the last seq that was received of
 * each: what came after it is pushed behind the answer, then what is new. Ids that the session does not
 * know (any more) are ignored, and so is `replayAfter` without a session to resume.
 */
export const InitializeParams = Schema.Struct({
  clientName: Schema.String,
  resumeSessionId: Schema.optional(Schema.NullOr(Schema.String)),
  replayAfter: Schema.optional(Schema.NullOr(Schema.Record({ key: Schema.String, value: U64 }))),
}).annotations({ identifier: "InitializeParams" })
export type InitializeParams = typeof InitializeParams.Type

/** `sessionId` is a UUID v4; whoever knows it may resume the session. */
export const InitializeResult = Schema.Struct({
  sessionId: Schema.String,
  environmentInfo: EnvironmentInfo,
}).annotations({ identifier: "InitializeResult" })
export type InitializeResult = typeof InitializeResult.Type
