/** The part of a feature in clients: its calls on a process. It runs without the server, in pages too. */
import type * as Effect from "effect/Effect"
import type { Call } from "../client/Calls.ts"
import type { ClientError } from "../client/ClientError.ts"
import type { Subscription } from "../client/EventFeed.ts"
import type { Fork } from "../protocol/Fork.ts"
import type { HasherService } from "../protocol/Hasher.ts"
import type { StartFields } from "./Wires.ts"

/** A process that a client follows, as the parts of features see it. */
export interface Followed {
  readonly id: string
  /** The seq behind which its events are followed. */
  readonly after: number
  /** Sends a request about the process; none once its session is lost. */
  readonly call: Call
  /** Subscribes to its events from the first one that is followed. */
  readonly subscribe: Effect.Effect<Subscription>
  /** The reason that its events have ended in `failed`. */
  readonly failure: () => ClientError | undefined
  /** Runs an effect in the scope of the client. */
  readonly fork: Fork
  readonly hasher: HasherService
}

/** The part of a feature in clients. */
export interface ClientPart<Calls extends object> {
  /**
   * For programs without Effect: the number of arguments of each call (0 for an effect), or `value` for an effect whose
   * promise is a property of the process.
   */
  readonly promises: { readonly [K in keyof Calls]: number | "value" }
  /** The fields of a start that are options of an `attach`, too. */
  readonly attachOptions?: ReadonlyArray<keyof StartFields>
  /** Its calls on a process, made before the start or the attach is sent. */
  readonly make: (process: Followed, asked: Partial<StartFields>) => Effect.Effect<Calls>
}
