/**
 * The wires of all features: one line each. Protocol, server and client derive from this list; the list of the server
 * is `Features`.
 */
import type * as Schema from "effect/Schema"
import { lazy } from "../protocol/Lazy.ts"
import { answers } from "./answers/wire.ts"
import { credit } from "./credit/wire.ts"
import { deadline } from "./deadline/wire.ts"
import { fs } from "./fs/wire.ts"
import { history } from "./history/wire.ts"
import { http } from "./http/wire.ts"
import { lifetime } from "./lifetime/wire.ts"
import { marks } from "./marks/wire.ts"
import { pid } from "./pid/wire.ts"
import { receipt } from "./receipt/wire.ts"
import { restart } from "./restart/wire.ts"
import { screen } from "./screen/wire.ts"
import { wait } from "./wait/wire.ts"
import type { EventRow, Wire } from "./Wire.ts"

export { aboutOf } from "./Wire.ts"
export type { About, EventRow, Example, HasSeq, Notice, Row, Wire } from "./Wire.ts"

/** The wires, as data: the additions of each feature to the protocol. */
export const wires = [
  receipt,
  deadline,
  marks,
  answers,
  restart,
  credit,
  lifetime,
  pid,
  wait,
  history,
  screen,
  fs,
  http,
] as const

/** The types of the wires, in their order. */
export type Wires = typeof wires

/** That part of each wire which has it. */
export type PartOf<W, K extends keyof Wire> = W extends { readonly [P in K]: infer V } ? V : never

/** One object type from several without a key in common. */
export type Merged<U> = {
  readonly [K in U extends unknown ? keyof U : never]: U extends { readonly [P in K]: infer V } ? V : never
}

const merged = <K extends keyof Wire>(part: K) =>
  Object.assign({}, ...wires.map((wire: Wire) => wire[part])) as Merged<PartOf<Wires[number], K>>

/** Names in `environment/info`. */
export const capabilities = merged("capabilities")

/** Fields of the params of `process/start`. */
export const startFields = lazy(() => merged("startFields"))

/** The same as on the wire, each with its docstring. */
export type StartFields = {
  readonly [K in keyof AllOf<PartOf<Wires[number], "startFields">>]: EncodedField<
    AllOf<PartOf<Wires[number], "startFields">>[K]
  >
}

/** The intersection of the members of a union. */
export type AllOf<U> = (U extends unknown ? (part: U) => void : never) extends (part: infer I) => void
  ? I
  : never

/** The type of a field on the wire. */
export type EncodedField<F> = F extends Schema.PropertySignature.All
  ? Schema.Schema.Encoded<F>
  : F extends Schema.Schema.All
    ? Schema.Schema.Encoded<F>
    : never

/** Fields of the result of `process/start`. */
export const startedFields = lazy(() => merged("startedFields"))

/** The same, decoded. */
export type StartedFields = Schema.Struct.Type<typeof startedFields>

/** Fields of the result of `process/read`. */
export const readFields = lazy(() => merged("readFields"))

/** The same, decoded. */
export type ReadFields = Schema.Struct.Type<typeof readFields>

/** Fields of `process/closed`, and of the result of `process/read` for a closed process. */
export const closedFields = lazy(() => merged("closedFields"))

/** The same, decoded, each with its docstring. */
export type ClosedFields = {
  readonly [K in keyof AllOf<PartOf<Wires[number], "closedFields">>]?: DecodedField<
    AllOf<PartOf<Wires[number], "closedFields">>[K]
  >
}

/** The type of a field, decoded. */
export type DecodedField<F> = F extends Schema.PropertySignature.All
  ? Schema.Schema.Type<F>
  : F extends Schema.Schema.All
    ? Schema.Schema.Type<F>
    : never

/** Fields of a process in lists. */
export const rowFields = lazy(() => merged("rowFields"))

/** The same, decoded. */
export type RowFields = Schema.Struct.Type<typeof rowFields>

/** Requests by name. */
export const requests = merged("requests")

/** The events of features, by kind. */
export const events = merged("events")

/** The events of features, as the wires have them. */
export type Rows = (typeof events)[keyof typeof events]

/** The events of features. */
export type FeatureEvent = Parameters<Rows["toParams"]>[1]

/** The notifications that are no events, by name. */
export const notices = merged("notifications")

/** The notifications that carry these events, by name. */
export const notifications = Object.fromEntries(Object.values(events).map((row) => [row.method, row])) as {
  readonly [R in Rows as R["method"]]: R
}

/** The notification of an event: its name, and its params. */
export const toNotification = (
  processId: string,
  event: FeatureEvent,
): readonly [method: keyof typeof notifications, params: object] => {
  // The kind selects the row that takes this event, which the types of several rows do not tell.
  const { method, toParams } = events[event.kind] as EventRow & {
    readonly method: keyof typeof notifications
  }
  return [method, toParams(processId, event as never)]
}
