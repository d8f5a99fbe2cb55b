/** Failures of a client as the errors of Effect's platform. */
import * as Effect from "effect/Effect"
import * as PlatformError from "effect/PlatformError"
import type { ClientError } from "../../../core/client/ClientError.ts"
import { reasonOf } from "./Reason.ts"

/** The place of a failure: a method of a service, and its subject. */
export interface Place {
  readonly module: "ChildProcess" | "FileSystem"
  readonly method: string
  readonly pathOrDescriptor?: string
}

export const toPlatformError =
  (place: Place) =>
  (cause: ClientError): PlatformError.PlatformError => {
    const reason = reasonOf(cause)
    const { message: description } = cause
    if (reason !== "BadArgument")
      return PlatformError.systemError({ ...place, _tag: reason, description, cause })
    const { module, method } = place
    return PlatformError.badArgument({ module, method, description, cause })
  }

/** An effect of a client as one that fails as those of the platform do. */
export const at =
  (place: Place) =>
  <A, R>(effect: Effect.Effect<A, ClientError, R>): Effect.Effect<A, PlatformError.PlatformError, R> =>
    Effect.mapError(effect, toPlatformError(place))

/** The failure for what the wire lacks; `description` says that, and what helps. */
export const lacking = (
  module: Place["module"],
  method: string,
  description: string,
): Effect.Effect<never, PlatformError.PlatformError> =>
  Effect.fail(PlatformError.badArgument({ module, method, description }))

/** True for a file or folder that does not exist. */
export const isMissing = ({ reason }: PlatformError.PlatformError): boolean => reason._tag === "NotFound"
