/**
 * The wires of features that may add fields to starts, reads, `closed` and rows of lists: one line each. They are below
 * the shapes that have these fields; `Wires` has the others, too.
 */
import type * as Shape from "../protocol/shape/index.ts"
import { answers } from "./answers/wire.ts"
import { credit } from "./credit/wire.ts"
import { deadline } from "./deadline/wire.ts"
import { egress } from "./egress/wire.ts"
import { fs } from "./fs/wire.ts"
import { history } from "./history/wire.ts"
import { http } from "./http/wire.ts"
import { keep } from "./keep/wire.ts"
import { lifetime } from "./lifetime/wire.ts"
import { marks } from "./marks/wire.ts"
import { pid } from "./pid/wire.ts"
import { port } from "./port/wire.ts"
import { receipt } from "./receipt/wire.ts"
import { restart } from "./restart/wire.ts"
import { screen } from "./screen/wire.ts"
import { secrets } from "./secrets/wire.ts"
import { wait } from "./wait/wire.ts"
import type { Wire } from "./Wire.ts"

/** The wires, as data. */
export const wires = [
  receipt,
  deadline,
  egress,
  marks,
  answers,
  keep,
  restart,
  credit,
  lifetime,
  pid,
  wait,
  port,
  history,
  screen,
  fs,
  http,
  secrets,
] as const

/** The types of these wires, in their order. */
export type Wires = typeof wires

/** The type of one part, of the wires with that part. */
export type PartOf<W, K extends keyof Wire> = W extends { readonly [P in K]: infer V } ? V : never

/** One object type from several without a key in common. */
export type Merged<U> = {
  readonly [K in U extends unknown ? keyof U : never]: U extends { readonly [P in K]: infer V } ? V : never
}

/** One part of all of these wires. */
export const mergedOf = <W extends Wire, K extends keyof Wire>(all: ReadonlyArray<W>, part: K) =>
  Object.assign({}, ...all.map((wire: Wire) => wire[part])) as Merged<PartOf<W, K>>

const merged = <K extends keyof Wire>(part: K) => mergedOf<Wires[number], K>(wires, part)

/** Fields of the params of `process/start`. */
export const startFields = merged("startFields")

/** The capability that a server needs for each of them. */
export const startNeeds: { readonly [field: string]: string } = Object.assign(
  {},
  ...wires.map(({ capabilities, startFields = {} }: Wire) => {
    const [usual = ""] = Object.keys(capabilities)
    return Object.fromEntries(
      Object.entries(startFields).map(([name, field]) => [name, ("needs" in field && field.needs) || usual]),
    )
  }),
)

/** The same as on the wire, each with its docstring. */
export type StartFields = {
  readonly [K in keyof AllOf<PartOf<Wires[number], "startFields">>]: Shape.Encoded<
    AllOf<PartOf<Wires[number], "startFields">>[K]
  >
}

/** The intersection of the members of a union. */
export type AllOf<U> = (U extends unknown ? (part: U) => void : never) extends (part: infer I) => void
  ? I
  : never

/** Fields of the result of `process/start`. */
export const startedFields = merged("startedFields")

/** The same, decoded. */
export type StartedFields = Shape.TypeOf<typeof startedFields>

/** Fields of the result of `process/read`. */
export const readFields = merged("readFields")

/** The same, decoded. */
export type ReadFields = Shape.TypeOf<typeof readFields>

/** Fields of `process/closed`, and of the result of `process/read` for a closed process. */
export const closedFields = merged("closedFields")

/** The same, decoded, each with its docstring. */
export type ClosedFields = {
  readonly [K in keyof AllOf<PartOf<Wires[number], "closedFields">>]?: Shape.Type<
    AllOf<PartOf<Wires[number], "closedFields">>[K]
  >
}

/** Fields of a process in lists. */
export const rowFields = merged("rowFields")

/** The same, decoded. */
export type RowFields = Shape.TypeOf<typeof rowFields>
