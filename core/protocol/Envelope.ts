/** The shapes of what the envelope of a message has; see `Message`. */
import * as Shape from "./shape/index.ts"
import { Fault } from "./shape/Reading.ts"

/** A string, or an integer from -2^63 to 2^63-1 (bigint beyond 2^53). */
export type RequestId = string | number | bigint

const least = -(2n ** 63n)
const most = 2n ** 63n - 1n

/** True for the id of a request. */
export const isRequestId = (id: unknown): id is RequestId =>
  typeof id === "string" || typeof id === "number" || (typeof id === "bigint" && id >= least && id <= most)

/** The id of a request. */
export const Id = Shape.leaf<RequestId>({}, (json) => {
  if (isRequestId(json)) return json
  throw new Fault("data did not match any variant of untagged enum RequestId")
})

/** W3C trace context, carried by requests. */
export const TraceContext = Shape.struct("W3cTraceContext", {
  traceparent: Shape.omittable(Shape.string),
  tracestate: Shape.omittable(Shape.string),
})

/** Names the request whose answer the client no longer waits for. */
export const CancelParams = Shape.struct("RequestCancelNotification", {
  /** The id of the request whose answer is no longer waited for. */
  id: Id,
})
