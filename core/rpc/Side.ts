/** What differs between the ends of a connection: who answers requests, and what becomes of what nobody asked for. */
import type * as Effect from "effect/Effect"
import type * as ErrorCode from "../protocol/ErrorCode.ts"
import type * as Message from "../protocol/Message.ts"
import type { RequestContext } from "./Router.ts"

/** How one end of the wire treats what it receives. */
export interface Side {
  /** Answers a request with the JSON text of its result. */
  readonly request: (
    request: Message.Request,
    context: RequestContext,
  ) => Effect.Effect<string, ErrorCode.RpcError>
  /** True if the method counts against `concurrentRequests` while it runs. */
  readonly slotted: (method: string) => boolean
  /** Takes a notification; false ends the connection, an error is answered with id -1. */
  readonly notification: (notification: Message.Notification) => boolean | ErrorCode.RpcError
  /** True if a malformed message ends the connection; otherwise it is answered with id -1. */
  readonly endsOnMalformed?: boolean
  /** False if nothing becomes of an answer to no request; otherwise it ends the connection. */
  readonly endsOnStrayAnswer?: boolean
}
