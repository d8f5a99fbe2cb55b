/** The features with a part in clients: one line each. */
import * as Effect from "effect/Effect"
import type { ClientPart, Followed } from "./ClientPart.ts"
import { port } from "./port/client.ts"
import { receipt } from "./receipt/client.ts"
import { restart } from "./restart/client.ts"
import type { AllOf, StartFields } from "./Wires.ts"

const parts = [port, receipt, restart] as const

type Parts = (typeof parts)[number]
type CallsOf<P> = P extends { readonly make: (...args: never) => Effect.Effect<infer Calls> } ? Calls : never
type Attaching<P> = P extends { readonly attachOptions: ReadonlyArray<infer K> } ? K : never

/** The calls of features on a process. */
export type Calls = AllOf<CallsOf<Parts>>

/** The options of features for an `attach`. */
export type AttachOptions = Partial<Pick<StartFields, Attaching<Parts> & keyof StartFields>>

/** The names of these options. */
export const attachOptions = Object.fromEntries(
  parts.flatMap(({ attachOptions = [] }: ClientPart<object>) => attachOptions.map((name) => [name, true])),
) as { readonly [K in keyof AttachOptions]-?: true }

/** Each call as promises have it; see `ClientPart`. */
export const promises = Object.assign({}, ...parts.map(({ promises }) => promises)) as AllOf<
  Parts["promises"]
>

/** The calls on a process whose start, or attach, has these options. */
export const make = (process: Followed, asked: Partial<StartFields>): Effect.Effect<Calls> =>
  Effect.map(
    Effect.forEach(parts, (part: ClientPart<object>) => part.make(process, asked)),
    (calls) => Object.assign({}, ...calls) as Calls,
  )
