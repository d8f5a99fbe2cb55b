/** The handshake: `initialize`, then the notification `initialized`. */
import * as Schema from "effect/Schema"
import { EnvironmentInfo } from "./Environment.ts"
import { beyond, omittable } from "./Fields.ts"
import { U53, U64 } from "./Integers.ts"
import { lazy, struct } from "./Lazy.ts"

/**
 * `resumeSessionId` resumes a session whose connection has ended. With the capability `sessionReplay`, `replayAfter`
 * maps ids of its processes to the last seq that the client has received: retained events above it are sent behind the
 * answer, then new ones. With the capability `processCredit`, `credit` maps ids to the bytes of output that may be
 * pushed before a `process/credit`: no credit of an earlier connection counts, and a process that is not named is
 * pushed without a bound. With the capability `sessionTakeover`, `takeover: true` resumes the session also while
 * another connection has it, which ends. Unknown ids are ignored, and so are all three without `resumeSessionId`.
 */
export const InitializeParams = struct("InitializeParams", () => ({
  /** The name of the client, for logs. */
  clientName: Schema.String,
  /** The session to resume; absent opens a new one. */
  resumeSessionId: omittable(Schema.String),
  /** By process id: the last seq that was received; what is retained above it is sent behind the answer. */
  replayAfter: beyond(Schema.Record({ key: Schema.String, value: U64 })),
  /** By process id: the bytes of output that may be pushed before a `process/credit`. */
  credit: beyond(Schema.Record({ key: Schema.String, value: U53 })),
  /** Whether to resume the session also while another connection has it, which ends. */
  takeover: beyond(Schema.Boolean),
}))
/** Decoded params of `initialize`. */
export type InitializeParams = typeof InitializeParams.Type

/** `sessionId` is a UUID v4. It is a secret: every client that knows it may resume the session. */
export const InitializeResult = struct("InitializeResult", () => ({
  sessionId: Schema.String,
  environmentInfo: EnvironmentInfo,
}))
/** The result of `initialize`. */
export type InitializeResult = typeof InitializeResult.Type

/** No members. */
export const EndResult = lazy(() =>
  Schema.Struct({}).annotations({
    identifier: "SessionEndResponse",
    jsonSchema: { type: "object" },
  }),
)

/** The last message on a connection whose session another connection has taken over. */
export const TakenParams = struct("SessionTakenNotification", () => ({
  /** The session that was taken. */
  sessionId: Schema.String,
}))
