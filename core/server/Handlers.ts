/** The handlers of one connection, for every request of the method table. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Features from "../features/Features.ts"
import * as Fork from "../protocol/Fork.ts"
import type { Handlers } from "../rpc/Router.ts"
import * as EnvironmentInfo from "./EnvironmentInfo.ts"
import * as attach from "./handlers/attach.ts"
import * as files from "./handlers/fs.ts"
import * as history from "./handlers/history.ts"
import * as http from "./handlers/http.ts"
import * as list from "./handlers/list.ts"
import * as process from "./handlers/process.ts"
import * as screen from "./handlers/screen.ts"
import * as session from "./handlers/session.ts"
import * as start from "./handlers/start.ts"
import type { HandlerError } from "./WireError.ts"

/** What they need together. */
export type Context = Omit<FilesContext & HttpContext, "platform" | "host" | "scope" | "fork"> &
  Omit<session.SessionContext, "environmentInfo"> & { readonly version: string } & list.ListContext &
  attach.AttachContext &
  start.StartContext

type FilesContext = Parameters<typeof files.make>[0]
type HttpContext = Parameters<typeof http.make>[0]

/** The handlers; what they have running ends with the scope. */
export const make = (context: Context): Effect.Effect<Handlers<HandlerError>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { server, attachments, notifier, audit } = context
    const lifetime = yield* Effect.scope
    const fork = yield* Fork.inScope
    return {
      ...session.make({ ...context, environmentInfo: EnvironmentInfo.make(server, context.version) }),
      ...history.make(context),
      ...list.make(context),
      ...screen.make(context),
      ...attach.make(context),
      ...start.make(context),
      ...process.make(context),
      ...Features.handlers({
        server,
        at: attachments.at,
        writing: attachments.writing,
        grant: (processId, bytes) =>
          Effect.map(attachments.followed(processId), (followed) => notifier.grant(followed, bytes)),
        audit,
      }),
      ...(yield* files.make({ ...context, platform: server.host.platform })),
      ...http.make({ ...context, host: server.host, scope: lifetime, fork }),
    }
  })
