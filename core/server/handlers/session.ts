/**
 * `initialize`, `session/end` and `environment/*`: opening, resuming and ending the session of a connection, and what
 * the host is.
 */
import * as Effect from "effect/Effect"
import type { Joined } from "../../features/Features.ts"
import type { Process } from "../../process/Process.ts"
import type { EnvironmentInfo } from "../../protocol/Environment.ts"
import type { LimitError } from "../../protocol/Limits.ts"
import type { ParamsOf } from "../../protocol/Methods.ts"
import type { InitializeParams } from "../../protocol/Session.ts"
import type * as Router from "../../rpc/Router.ts"
import type { Holder, Session, SessionError, SessionRegistry } from "../../session/SessionRegistry.ts"
import type { Place } from "../../transport/Transport.ts"
import type { Handshake } from "../Handshake.ts"
import type { Notifier } from "../Notifier.ts"
import type { HandlerError } from "../WireError.ts"

/** The context of the handlers of one connection. */
export interface SessionContext {
  readonly handshake: Handshake<Session>
  readonly sessions: SessionRegistry
  readonly notifier: Notifier
  readonly features: Pick<Joined, "gate" | "opened" | "close">
  /** The connection, as its session knows it. */
  readonly holder: Holder
  readonly environmentInfo: EnvironmentInfo
  /** The place of its session, if one was found. */
  readonly place?: Place | undefined
}

/** The handlers of one connection. */
export const make = ({
  handshake,
  sessions,
  notifier,
  holder,
  environmentInfo,
  place,
  features,
}: SessionContext) => {
  const attach = (resumeId: string | null | undefined, takeover: boolean) =>
    Effect.suspend((): Effect.Effect<Session, HandlerError> => {
      const refusal = handshake.begin()
      if (refusal !== undefined) return Effect.fail(refusal)
      const attached: Effect.Effect<Session, LimitError | SessionError> =
        resumeId == null ? sessions.open(holder, place) : sessions.resume(resumeId, holder, takeover)
      return Effect.tapError(attached, () => Effect.sync(handshake.fail))
    })

  return {
    initialize: (
      { resumeSessionId, replayAfter, credit, takeover }: ParamsOf<"initialize">,
      { afterReply }: Router.RequestContext,
    ) =>
      Effect.map(attach(resumeSessionId, takeover === true), (session) => {
        handshake.succeed(session)
        afterReply(() => {
          session.processes.each((process, fresh) => {
            const gate = features.gate(process, named(credit, process.id))
            notifier.attach(process, fresh ? 0 : replayFrom(process, replayAfter), gate)
          })
          features.opened()
          sessions.handedOver(session)
        })
        return { sessionId: session.id, environmentInfo }
      }),

    "session/end": () =>
      Effect.suspend(() => {
        const session = handshake.session()
        handshake.end()
        notifier.close()
        features.close()
        return Effect.as(session === undefined ? Effect.void : sessions.end(session), {})
      }),

    "environment/info": () => Effect.succeed(environmentInfo),

    "environment/status": () => Effect.succeed({ status: "ready" as const }),
  }
}

/**
 * The seq above which a resumed connection is sent the events of a process: the one that it names, at most the last one
 * that exists. For a process that it does not name only new events are sent; `process/read` has the older ones.
 */
const replayFrom = (process: Process, replayAfter: InitializeParams["replayAfter"]): number => {
  const now = process.log.nextSeq() - 1
  return Math.min(named(replayAfter, process.id) ?? now, now)
}

/** An id may be any text, also the name of a property that every object inherits. */
const named = (values: Readonly<Record<string, number>> | null | undefined, id: string): number | undefined =>
  values != null && Object.hasOwn(values, id) ? values[id] : undefined
