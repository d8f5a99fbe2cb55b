/** One connection of a client of the current wire: its session, and its notifications, dispatched by method. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import * as FromServer from "../protocol/decoding/FromServer.ts"
import type { BodyDeltaParams } from "../protocol/HttpRequest.ts"
import type { Json } from "../protocol/Json.ts"
import type { InitializeResult } from "../protocol/Session.ts"
import type { Transport } from "../transport/Transport.ts"
import * as Calls from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"
import type { FlowControl } from "./FlowControl.ts"
import * as ClientConnection from "./ClientConnection.ts"
import * as Notification from "./Notification.ts"

export interface Options {
  readonly initialize: Calls.Encoded<"initialize">
  /** Deadline of the handshake. */
  readonly timeout: Duration.DurationInput
  readonly flow: FlowControl
  readonly heartbeat: Duration.Duration | undefined
  /** Takes each event of each process as it arrives. */
  readonly accept: (received: Notification.Received) => void
  /** Takes each frame of a streamed body as it arrives. */
  readonly frame: (frame: BodyDeltaParams) => void
  /** Takes the params of `fs/missingChanged`. */
  readonly appeared: (params: Json) => void
}

export interface SessionConnection
  extends InitializeResult, Omit<ClientConnection.ClientConnection<unknown>, "greeting"> {
  /** True once another connection has taken the session over. */
  readonly taken: () => boolean
}

/** Makes the handshake over a transport; the scope ends the connection. */
export const make = (
  transport: Transport,
  { initialize, timeout, flow, heartbeat, accept, frame, appeared }: Options,
): Effect.Effect<SessionConnection, ClientError, Scope.Scope> =>
  Effect.suspend(() => {
    let taken = false
    const line = ClientConnection.make(transport, {
      initialize: (ask) => Calls.make((method, params) => ask(method, params))("initialize", initialize),
      timeout,
      flow,
      heartbeat,
      concurrent: ({ environmentInfo }) => environmentInfo.capabilities?.sessionTakeover === true,
      cancels: ({ environmentInfo }) =>
        environmentInfo.capabilities?.requestCancel === true ? FromServer.isCancellable : () => false,
      take: (method, params) => {
        if (!FromServer.isNotification(method)) return undefined
        if (method === "http/request/bodyDelta")
          return Either.map(FromServer.notification(method, params), frame)
        if (method === "fs/missingChanged") return Either.right(appeared(params))
        if (method === "session/taken") taken = true
        return Notification.isOfProcess(method)
          ? Either.map(Notification.decode(method, params), accept)
          : Either.void
      },
    })
    return Effect.map(line, ({ greeting, ...line }) => ({
      ...greeting,
      ...line,
      taken: () => taken,
      lost: Effect.map(line.lost, (why) => (taken ? ClientConnection.takenOver : why)),
    }))
  })
