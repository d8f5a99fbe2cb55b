/** The handlers of one connection, for every request of the method table. */
import type * as Features from "../features/Features.ts"
import type { Handlers } from "../rpc/Router.ts"
import * as EnvironmentInfo from "./EnvironmentInfo.ts"
import * as list from "./handlers/list.ts"
import * as process from "./handlers/process.ts"
import * as session from "./handlers/session.ts"
import * as start from "./handlers/start.ts"
import type { HandlerError } from "./WireError.ts"

/** The context of all of them. */
export type Context = Omit<session.SessionContext, "environmentInfo"> & {
  readonly version: string
  readonly features: Features.Joined
} & list.ListContext &
  process.ProcessContext &
  start.StartContext

/** The handlers. */
export const make = (context: Context): Handlers<HandlerError> => ({
  ...session.make({
    ...context,
    environmentInfo: EnvironmentInfo.make(context.server, context.features.announced, context.version),
  }),
  ...list.make(context),
  ...start.make(context),
  ...process.make(context),
  ...context.features.handlers,
})
