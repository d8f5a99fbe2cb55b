/** Promises of a client as effects of Effect 3 that fail as those of `@effect/platform` do. */
import * as PlatformError from "@effect/platform/Error"
import * as Effect from "effect/Effect"
import { type Reason, reasonOf } from "../shared/platform/Reason.ts"
import type { ClientError } from "../node/index.ts"

/** The place of a failure: a method of a service, and its subject. */
export interface Place {
  readonly module: "Command" | "FileSystem"
  readonly method: string
  readonly pathOrDescriptor?: string
}

/** A call of the client, which is given up when its fiber is interrupted. */
export const call =
  (place: Place) =>
  <A>(
    asked: (how: { readonly signal: AbortSignal }) => PromiseLike<A>,
  ): Effect.Effect<A, PlatformError.PlatformError> =>
    Effect.tryPromise({
      try: (signal) => asked({ signal }),
      // Nothing else is thrown by a client.
      catch: (error) => toPlatformError(place)(error as ClientError),
    })

/** The error of `@effect/platform` for one of a client. */
export const toPlatformError =
  (place: Place) =>
  (cause: ClientError): PlatformError.PlatformError => {
    const reason: Reason = reasonOf(cause)
    const { message: description } = cause
    if (reason !== "BadArgument")
      return new PlatformError.SystemError({ ...place, reason, description, cause })
    const { module, method } = place
    return new PlatformError.BadArgument({ module, method, description, cause })
  }

/** The error for what the wire lacks; `description` says that, and what helps. */
export const lacking = (
  module: Place["module"],
  method: string,
  description: string,
): PlatformError.BadArgument => new PlatformError.BadArgument({ module, method, description })

/** True for a file or folder that does not exist. */
export const isMissing = (error: PlatformError.PlatformError): boolean =>
  error._tag === "SystemError" && error.reason === "NotFound"
