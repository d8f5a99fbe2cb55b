/**
 * The watch of a client for missing files. A connection has one at a time: a new watch replaces it, and it ends with
 * the connection. One that is being made while a connection is lost is made on the next one.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { isObject, type Json } from "../protocol/Json.ts"
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

/** The watch of one client. */
export type FileWatch = ReturnType<typeof make>

interface Live {
  readonly id: number
  readonly outcome: Deferred.Deferred<boolean, ClientError>
  /** The server has said whether it watches. */
  answered: boolean
  /** A connection was lost before that. */
  lost: boolean
}

/** `tell` sends a request whose answer does not matter, on the connection that is there. */
export const make = (call: Call, tell: Tell, activity: Activity) => {
  let lastId = 0
  let live: Live | undefined

  const end = (outcome: Effect.Effect<boolean, ClientError>) => {
    const ended = live
    // Its waiters go on within the call, and may begin the next one.
    live = undefined
    if (ended !== undefined) Deferred.doneUnsafe(ended.outcome, outcome)
  }

  /** A watch for nothing takes the place of one that the server may have begun. */
  const giveUp = (mine: Live) => {
    if (live !== mine) return
    live = undefined
    tell("fs/watchMissing", { watchId: (lastId += 1), missing: [], present: null })
  }

  /** Asks again if a connection was lost meanwhile: the watch may have been one of that connection. */
  const ask = (
    mine: Live,
    missing: ReadonlyArray<string>,
    present: string | null,
  ): ReturnType<typeof call<"fs/watchMissing">> =>
    Effect.suspend(() => {
      mine.lost = false
      return Effect.flatMap(call("fs/watchMissing", { watchId: mine.id, missing, present }), (answer) => {
        if (mine.lost && live === mine) return ask(mine, missing, present)
        mine.answered = true
        return Effect.succeed(answer)
      })
    })

  return {
    /** Starts a watch, in place of the one before; the paths are URIs. */
    watch: (missing: ReadonlyArray<string>, present: string | null) =>
      Effect.gen(function* () {
        end(Effect.succeed(false))
        const outcome = yield* Deferred.make<boolean, ClientError>()
        const mine = (live = { id: (lastId += 1), outcome, answered: false, lost: false })
        const { watching } = yield* Effect.onInterrupt(ask(mine, missing, present), () =>
          Effect.sync(() => giveUp(mine)),
        )
        const changed = activity.during(Deferred.await(mine.outcome))
        return { watching, changed: watching ? changed : Effect.succeed(false) }
      }),
    /** Takes the params of `fs/missingChanged`. */
    changed: (params: Json) => {
      if (live !== undefined && isObject(params) && params["watchId"] === live.id) end(Effect.succeed(true))
    },
    /** The connection was lost. */
    lost: (error: ClientError) => {
      if (live?.answered === false) live.lost = true
      else end(Effect.fail(error))
    },
  }
}
