/**
 * The watch of a client for missing files. A connection has one at a time: a new watch replaces it, and it ends with
 * the connection.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Json } from "../protocol/Json.ts"
import { isObject } from "../protocol/Json.ts"
import type { Activity } from "./Activity.ts"
import type { Call, Tell } from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"

/** A watch for missing files. */
export interface Watch {
  /** False if there is nothing to watch: something exists already, or the server cannot watch. */
  readonly watching: boolean
  /** Completes with true at the first change, with false if not `watching` or if another watch replaced this one. */
  readonly changed: Effect.Effect<boolean, ClientError>
}

export interface FileWatch {
  /** Starts a watch, in place of the one before; the paths are URIs. */
  readonly watch: (
    missing: ReadonlyArray<string>,
    present: string | null,
  ) => Effect.Effect<Watch, ClientError>
  /** Takes the params of `fs/missingChanged`. */
  readonly changed: (params: Json) => void
  /** The connection was lost. */
  readonly lost: (error: ClientError) => void
}

interface Live {
  readonly id: number
  readonly outcome: Deferred.Deferred<boolean, ClientError>
}

/** `tell` sends a request whose answer does not matter, on the connection that is there. */
export const make = (call: Call, tell: Tell, activity: Activity): FileWatch => {
  let lastId = 0
  let live: Live | undefined

  const end = (outcome: Effect.Effect<boolean, ClientError>) => {
    if (live !== undefined) Deferred.unsafeDone(live.outcome, outcome)
    live = undefined
  }

  /** A watch for nothing takes the place of one that the server may have begun. */
  const giveUp = (mine: Live) => {
    if (live !== mine) return
    live = undefined
    tell("fs/watchMissing", { watchId: (lastId += 1), missing: [], present: null })
  }

  return {
    watch: (missing, present) =>
      Effect.gen(function* () {
        end(Effect.succeed(false))
        const mine = (live = { id: (lastId += 1), outcome: yield* Deferred.make<boolean, ClientError>() })
        const { watching } = yield* Effect.onInterrupt(
          call("fs/watchMissing", { watchId: mine.id, missing, present }),
          () => Effect.sync(() => giveUp(mine)),
        )
        const changed = activity.during(Deferred.await(mine.outcome))
        return { watching, changed: watching ? changed : Effect.succeed(false) }
      }),
    changed: (params) => {
      if (live !== undefined && isObject(params) && params["watchId"] === live.id) end(Effect.succeed(true))
    },
    lost: (error) => end(Effect.fail(error)),
  }
}
