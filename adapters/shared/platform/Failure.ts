/** Failures of a client as the errors of `@effect/platform`. */
import * as PlatformError from "@effect/platform/Error"
import * as Effect from "effect/Effect"
import type { ClientError } from "../../../core/client/ClientError.ts"
import * as ErrorCode from "../../../core/protocol/ErrorCode.ts"

/** The place of a failure: a method of a service, and its subject. */
export interface Place {
  readonly module: "Command" | "FileSystem"
  readonly method: string
  readonly pathOrDescriptor?: string
}

/** By the numbers of Linux, which macOS shares up to `EWOULDBLOCK`. */
const reasons: Readonly<Record<number, PlatformError.SystemErrorReason>> = {
  1: "PermissionDenied",
  2: "NotFound",
  9: "BadResource",
  11: "WouldBlock",
  13: "PermissionDenied",
  16: "Busy",
  17: "AlreadyExists",
  20: "BadResource",
  21: "BadResource",
  40: "BadResource",
  110: "TimedOut",
}

/** The error of `@effect/platform` for one of a client. */
export const toPlatformError =
  (place: Place) =>
  (cause: ClientError): PlatformError.PlatformError =>
    isArgument(cause)
      ? new PlatformError.BadArgument({
          module: place.module,
          method: place.method,
          description: cause.message,
          cause,
        })
      : new PlatformError.SystemError({
          ...place,
          reason: reasonOf(cause),
          description: cause.message,
          cause,
        })

/** An effect of a client as one that fails as those of `@effect/platform` do. */
export const at =
  (place: Place) =>
  <A, R>(effect: Effect.Effect<A, ClientError, R>): Effect.Effect<A, PlatformError.PlatformError, R> =>
    Effect.mapError(effect, toPlatformError(place))

/** The error for what the wire lacks; `why` says that, and what helps. */
export const lacking = (
  module: Place["module"],
  method: string,
  description: string,
): PlatformError.BadArgument => new PlatformError.BadArgument({ module, method, description })

/** True for a file or folder that does not exist. */
export const isMissing = (error: PlatformError.PlatformError): boolean =>
  error._tag === "SystemError" && error.reason === "NotFound"

/** True if the request could not be carried out on any file or program. */
const isArgument = ({ reason, rpcCode: code }: ClientError): boolean =>
  reason === "InvalidOption" ||
  (reason === "Server" && (code === ErrorCode.methodNotFound || code === ErrorCode.invalidParams))

const reasonOf = (error: ClientError): PlatformError.SystemErrorReason => {
  switch (error.reason) {
    case "ProgramNotFound":
    case "WorkingDirectory":
      return "NotFound"
    case "ProgramNotExecutable":
      return "PermissionDenied"
    case "Timeout":
      return "TimedOut"
    case "Server":
      return serverReason(error)
    default:
      return "Unknown"
  }
}

/** The wire has the number of a failure of the system only at the end of the text. */
const serverReason = ({
  rpcCode: code,
  message: said,
  serverMessage: message = said,
}: ClientError): PlatformError.SystemErrorReason => {
  if (code === ErrorCode.notFound) return "NotFound"
  const [, number] = /\(os error ([0-9]+)\)$/.exec(message) ?? []
  if (number !== undefined) return reasons[Number(number)] ?? "Unknown"
  // The request makes no sense for what the path leads to.
  return code === ErrorCode.invalidRequest ? "BadResource" : "Unknown"
}
