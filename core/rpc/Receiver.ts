/** What one end of a connection does with the messages that it receives: the client and the server differ in this. */
import type * as Effect from "effect/Effect"
import type * as ErrorCode from "../protocol/ErrorCode.ts"
import type * as Message from "../protocol/Message.ts"
import type { RequestContext } from "./Router.ts"

/** One end, as its connection sees it. */
export interface Receiver {
  /** Answers a request with the JSON text of its result. */
  readonly request: (
    request: Message.Request,
    context: RequestContext,
  ) => Effect.Effect<string, ErrorCode.RpcError>
  /** True if the method counts against `concurrentRequests` while it runs. */
  readonly slotted: (method: string) => boolean
  /** True if the peer may cancel a request of this method. By default none. */
  readonly cancellable?: (method: string) => boolean
  /** Takes a notification. False ends the connection; an error is sent with id -1. */
  readonly notification: (notification: Message.Notification) => boolean | ErrorCode.RpcError
  /** True if a malformed message ends the connection; by default it is answered with id -1. */
  readonly endsOnMalformed?: boolean
  /**
   * Takes an error without the id of a request (null, -1 or none), which fails the only request that has no answer yet;
   * this takes it where there are several, or none. Without it such an error is malformed.
   */
  readonly unaddressed?: (error: ErrorCode.RpcError) => void
  /** False if an answer to no request is ignored; by default it ends the connection. */
  readonly endsOnStrayAnswer?: boolean
}
