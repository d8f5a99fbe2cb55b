/** The handshake: `initialize`, then the notification `initialized`. */
import * as Shape from "./shape/index.ts"
import { EnvironmentInfo } from "./Environment.ts"
import { U53, U64 } from "./Integers.ts"

/**
 * `resumeSessionId` resumes a session whose connection has ended. With the capability `sessionReplay`, `replayAfter`
 * maps ids of its processes to the last seq that the client has received: retained events above it are sent behind the
 * answer, then new ones. With the capability `processCredit`, `credit` maps ids to the bytes of output that may be
 * pushed before a `process/credit`: no credit of an earlier connection counts, and a process that is not named is
 * pushed without a bound. With the capability `sessionTakeover`, `takeover: true` resumes the session also while
 * another connection has it, which ends. Unknown ids are ignored, and so are all three without `resumeSessionId`.
 */
export const InitializeParams = Shape.struct("InitializeParams", {
  /** The name of the client, for logs. */
  clientName: Shape.string,
  /** The session to resume; absent opens a new one. */
  resumeSessionId: Shape.omittable(Shape.string),
  /** By process id: the last seq that was received; what is retained above it is sent behind the answer. */
  replayAfter: Shape.beyond(Shape.map(U64)),
  /** By process id: the bytes of output that may be pushed before a `process/credit`. */
  credit: Shape.beyond(Shape.map(U53)),
  /** True to resume the session also while another connection has it, which ends. */
  takeover: Shape.beyond(Shape.boolean),
})
/** Decoded params of `initialize`. */
export type InitializeParams = typeof InitializeParams.Type

/** `sessionId` is a UUID v4. It is a secret: every client that knows it may resume the session. */
export const InitializeResult = Shape.struct("InitializeResult", {
  sessionId: Shape.string,
  environmentInfo: EnvironmentInfo,
})
/** The result of `initialize`. */
export type InitializeResult = typeof InitializeResult.Type

/** The last message on a connection whose session another connection has taken over. */
export const TakenParams = Shape.struct("SessionTakenNotification", {
  /** The session that was taken. */
  sessionId: Shape.string,
})
