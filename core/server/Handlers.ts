/** The handlers of one connection, for every request of the method table. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Connection } from "../features/Feature.ts"
import * as Features from "../features/Features.ts"
import * as Fork from "../protocol/Fork.ts"
import type { Handlers } from "../rpc/Router.ts"
import * as EnvironmentInfo from "./EnvironmentInfo.ts"
import type { FairSender } from "./FairSender.ts"
import * as attach from "./handlers/attach.ts"
import * as list from "./handlers/list.ts"
import * as process from "./handlers/process.ts"
import * as session from "./handlers/session.ts"
import * as start from "./handlers/start.ts"
import type { HandlerError } from "./WireError.ts"

/** What they need together. */
export type Context = Omit<session.SessionContext, "environmentInfo"> & {
  readonly version: string
} & Pick<Connection, "files" | "sandboxed" | "client" | "limits" | "write"> & {
    readonly sender: FairSender
  } & list.ListContext &
  attach.AttachContext &
  start.StartContext

/** The handlers; what they have running ends with the scope. */
export const make = (context: Context): Effect.Effect<Handlers<HandlerError>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { server, sender, attachments, notifier } = context
    return {
      ...session.make({ ...context, environmentInfo: EnvironmentInfo.make(server, context.version) }),
      ...list.make(context),
      ...attach.make(context),
      ...start.make(context),
      ...process.make(context),
      ...(yield* Features.handlers({
        ...context,
        scope: yield* Effect.scope,
        fork: yield* Fork.inScope,
        send: sender.send,
        at: attachments.at,
        writing: attachments.writing,
        grant: (processId, bytes) =>
          Effect.map(attachments.followed(processId), (followed) => notifier.grant(followed, bytes)),
      })),
    }
  })
