/** The schemas of what the envelope of a message has; see `Message`, which decodes it without them. */
import * as Schema from "effect/Schema"
import { omittable } from "./Fields.ts"
import { lazy, struct } from "./Lazy.ts"
import { badId, isRequestId, type RequestId } from "./Message.ts"

/** W3C trace context, carried by requests. */
export const TraceContext = struct("W3cTraceContext", () => ({
  traceparent: omittable(Schema.String),
  tracestate: omittable(Schema.String),
}))

const id = lazy(
  () =>
    Schema.Unknown.pipe(
      Schema.filter((id) => isRequestId(id) || badId),
    ) as unknown as Schema.Schema<RequestId>,
)

/** Names the request whose answer the client no longer waits for. */
export const CancelParams = struct("RequestCancelNotification", () => ({
  /** The id of the request whose answer is no longer waited for. */
  id,
}))
