/**
 * The messages between a host and a router, beside the connections of clients. A host asks; a router only tells it
 * to dial. Each is a request or a notification of the wire's JSON-RPC.
 */
import * as Result from "effect/Result"
import { TraceContext } from "../protocol/Message.ts"
import { U53 as count } from "../protocol/Integers.ts"
import * as Shape from "../protocol/shape/index.ts"

/** A session, by the name that the directory has for it. */
export const SessionKey = Shape.struct("", { sessionId: Shape.string, fence: count })

/** `fleet/announce`: a host is there, with the sessions that it has. */
export const Announce = Shape.struct("", {
  hostId: Shape.string,
  epoch: count,
  labels: Shape.map(Shape.string),
  capacity: count,
  held: Shape.struct("", {
    upTo: count,
    sessions: Shape.list(Shape.struct("", { ...SessionKey.fields, tenant: Shape.string })),
  }),
})
export type Announce = typeof Announce.Type

/** `fleet/end`: a session is over. */
export const End = Shape.struct("", { ...SessionKey.fields, ending: Shape.words("closed", "start failed") })

/** Its epoch is over, or another host has its name; `epoch` and `state` are those that the directory knows. */
const Fenced = Shape.struct("", { fenced: Shape.string, epoch: count, state: Shape.string })

/** The answer to `fleet/announce`. */
export const Announced = Shape.anyOf(
  Shape.struct("", {
    leaseMillis: count,
    draining: Shape.boolean,
    version: count,
    over: Shape.list(Shape.string),
  }),
  Fenced,
)
export type Announced = typeof Announced.Type

/** The answer to `fleet/beat`: `unknown` asks for an announcement. */
export const Beaten = Shape.anyOf(
  Shape.struct("", { leaseMillis: count, draining: Shape.boolean }),
  Shape.struct("", { unknown: Shape.yes }),
  Fenced,
)

/** The answer to `fleet/confirm` and `fleet/end`: `over` if the session has ended for everybody else. */
export const Settled = Shape.struct("", { version: count, over: Shape.boolean })

/** `fleet/dial`: a connection that a host is to make for a client, and the place that was found for its session. */
export const Dial = Shape.struct("", {
  connection: Shape.string,
  peer: Shape.struct("", {
    transport: Shape.string,
    address: Shape.optional(Shape.string),
    scope: Shape.optional(Shape.words("own", "observe", "control")),
    credential: Shape.optional(
      Shape.struct("", {
        kind: Shape.words("token", "jwt", "certificate", "link"),
        name: Shape.optional(Shape.string),
        issuer: Shape.optional(Shape.string),
      }),
    ),
  }),
  place: Shape.optional(
    Shape.struct("", { sessionId: Shape.string, key: Shape.string, fence: count, tenant: Shape.string }),
  ),
})
export type Dial = typeof Dial.Type

/** The first message of a router to another one that has the tunnel of a host. */
export const Hop = Shape.struct("", {
  hostId: Shape.string,
  dial: Shape.struct("", { ...Dial.fields, connection: Shape.optional(Shape.string) }),
  trace: Shape.optional(TraceContext),
})

/** The answer to it. */
export const Hopped = Shape.struct("", { refused: Shape.nullOr(Shape.string) })

/** Reads params or an answer; undefined if it is none. */
export const reader =
  <A, I>(shape: Shape.Shape<A, I>) =>
  (json: unknown): A | undefined =>
    Result.getOrElse(Shape.decode(shape, json, { plain: true }), () => undefined)
