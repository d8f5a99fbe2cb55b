/** The refusals of requests: of params by their values, and of what cannot be done now; and their failures. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as ErrorCode from "./ErrorCode.ts"

/** Params that decode but have values that this host or server cannot take. `message` is the text for the client. */
export class ParamsError extends Data.TaggedError("ParamsError")<{
  readonly message: string
  /** The kind of the refusal, for programs, of a sandbox that a process cannot have. */
  readonly kind?: ErrorCode.ErrorKind
}> {}

/** Refuses params with this text. */
export const refuseParams = (message: string): Effect.Effect<never, ParamsError> =>
  Effect.fail(new ParamsError({ message }))

/** A request that cannot be done with this process, or not now. `message` is the text for the client. */
export class RequestError extends Data.TaggedError("RequestError")<{ readonly message: string }> {}

/** A request that has failed through no fault of the client. `message` is the text for the client. */
export class InternalError extends Data.TaggedError("InternalError")<{ readonly message: string }> {}
