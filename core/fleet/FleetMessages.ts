/**
 * The messages between a host and a router, beside the connections of clients. A host asks; a router only tells it
 * to dial. Each is a request or a notification of the wire's JSON-RPC.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { TraceContext } from "../protocol/Envelope.ts"

const count = Schema.Number.pipe(Schema.int(), Schema.nonNegative())

/** A session, by the name that the directory has for it. */
export const SessionKey = Schema.Struct({ sessionId: Schema.String, fence: count })

/** `fleet/announce`: a host is there, with the sessions that it has. */
export const Announce = Schema.Struct({
  hostId: Schema.String,
  epoch: count,
  labels: Schema.Record({ key: Schema.String, value: Schema.String }),
  capacity: count,
  held: Schema.Struct({
    upTo: count,
    sessions: Schema.Array(Schema.Struct({ ...SessionKey.fields, tenant: Schema.String })),
  }),
})
/** Params of `fleet/announce`. */
export type Announce = typeof Announce.Type

/** `fleet/end`: a session is over. */
export const End = Schema.Struct({ ...SessionKey.fields, ending: Schema.Literal("closed", "start failed") })

/** Its epoch is over, or another host has its name; `epoch` and `state` are those that the directory knows. */
const Fenced = Schema.Struct({ fenced: Schema.String, epoch: count, state: Schema.String })

/** The answer to `fleet/announce`. */
export const Announced = Schema.Union(
  Schema.Struct({
    leaseMillis: count,
    draining: Schema.Boolean,
    version: count,
    over: Schema.Array(Schema.String),
  }),
  Fenced,
)
/** The answer to `fleet/announce`. */
export type Announced = typeof Announced.Type

/** The answer to `fleet/beat`: `unknown` asks for an announcement. */
export const Beaten = Schema.Union(
  Schema.Struct({ leaseMillis: count, draining: Schema.Boolean }),
  Schema.Struct({ unknown: Schema.Literal(true) }),
  Fenced,
)

/** The answer to `fleet/confirm` and `fleet/end`: `over` if the session has ended for everybody else. */
export const Settled = Schema.Struct({ version: count, over: Schema.Boolean })

/** `fleet/dial`: a connection that a host is to make for a client, and the place that was found for its session. */
export const Dial = Schema.Struct({
  connection: Schema.String,
  peer: Schema.Struct({
    transport: Schema.String,
    address: Schema.optional(Schema.String),
    scope: Schema.optional(Schema.Literal("own", "observe", "control")),
    credential: Schema.optional(
      Schema.Struct({
        kind: Schema.Literal("token", "jwt", "certificate", "link"),
        name: Schema.optional(Schema.String),
        issuer: Schema.optional(Schema.String),
      }),
    ),
  }),
  place: Schema.optional(
    Schema.Struct({ sessionId: Schema.String, key: Schema.String, fence: count, tenant: Schema.String }),
  ),
})
/** Params of `fleet/dial`. */
export type Dial = typeof Dial.Type

/** The first message of a router to another one that has the tunnel of a host. */
export const Hop = Schema.Struct({
  hostId: Schema.String,
  dial: Schema.Struct({ ...Dial.fields, connection: Schema.optional(Schema.String) }),
  trace: Schema.optional(TraceContext),
})

/** The answer to it. */
export const Hopped = Schema.Struct({ refused: Schema.NullOr(Schema.String) })

/** Reads params or an answer; undefined if it is none. */
export const reader = <A, I>(schema: Schema.Schema<A, I>): ((json: unknown) => A | undefined) => {
  const decode = Schema.decodeUnknownEither(schema)
  return (json) => Either.getOrElse(decode(json), () => undefined)
}
