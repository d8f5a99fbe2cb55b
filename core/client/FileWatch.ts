/**
 * The watch of a client for missing files. A connection has one: the next takes its place, and it ends with the
 * connection.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Json } from "../protocol/Json.ts"
import { isObject } from "../protocol/Message.ts"
import type { Call } from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"

/** A watch that has begun. */
export interface Watch {
  /** False where there is nothing to watch: something is there already, or the server cannot. */
  readonly watching: boolean
  /** Completes with true once it has come true, with false where it cannot, or another one took its place. */
  readonly changed: Effect.Effect<boolean, ClientError>
}

export interface FileWatch {
  /** Takes URIs; succeeds when the server watches. */
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

export const make = (call: Call): FileWatch => {
  let lastId = 0
  let live: Live | undefined

  const end = (outcome: Effect.Effect<boolean, ClientError>) => {
    if (live !== undefined) Deferred.unsafeDone(live.outcome, outcome)
    live = undefined
  }

  return {
    watch: (missing, present) =>
      Effect.gen(function* () {
        end(Effect.succeed(false))
        const mine = (live = { id: (lastId += 1), outcome: yield* Deferred.make<boolean, ClientError>() })
        const { watching } = yield* call("fs/watchMissing", { watchId: mine.id, missing, present })
        return { watching, changed: watching ? Deferred.await(mine.outcome) : Effect.succeed(false) }
      }),
    changed: (params) => {
      if (live !== undefined && isObject(params) && params["watchId"] === live.id) end(Effect.succeed(true))
    },
    lost: (error) => end(Effect.fail(error)),
  }
}
