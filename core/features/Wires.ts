/**
 * The wires of all features: those of `FieldWires`, and one line for each whose messages have rows of lists, with the
 * fields of those. Protocol, server and client derive from this list; the list of the server is `Features`.
 */
import { attach } from "./attach/wire.ts"
import { mergedOf, wires as fieldWires } from "./FieldWires.ts"
import type { EventRow, Wire } from "./Wire.ts"

export type { Gap } from "./attach/wire.ts"
export * as FieldWires from "./FieldWires.ts"
export type { AllOf, ClosedFields, ReadFields, RowFields, StartedFields, StartFields } from "./FieldWires.ts"
export type { EgressBlocked } from "./egress/wire.ts"
export type { About, EventRow, Example, HasSeq, Notice, Question, Row, Wire } from "./Wire.ts"

/** The wires, as data: the additions of each feature to the protocol. */
export const wires = [...fieldWires, attach] as const

/** The types of the wires, in their order. */
export type Wires = typeof wires

const merged = <K extends keyof Wire>(part: K) => mergedOf<Wires[number], K>(wires, part)

/** Names in `environment/info`. */
export const capabilities = merged("capabilities")

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
