/** Judges the losses of output that are reported to a client. */
import type { ClientError } from "../../core/client/ClientError.ts"
import type { Truth } from "./Truth.ts"
import type { World } from "./World.ts"

/** A failure as a consumer gets it. */
export type Failure = Pick<ClientError, "reason" | "message" | "gone">

export interface Told {
  readonly truth: Truth
  readonly actor: {
    readonly world: World
    readonly settings: {
      readonly retainedBytes: number
      readonly retainedChunks: number
      readonly retentionMillis: number
    }
  }
  readonly violate: (invariant: string, detail: string) => void
}

/** Checks that exactly the events after seq `last` are said to be gone that may be. */
export const checkGone = (
  told: Told,
  { gone, message }: Pick<ClientError, "gone" | "message">,
  last: number,
): undefined => {
  // guards: back-pressure, ring
  const wrong = (detail: string): undefined => void told.violate("an exact gone", `${detail} (${message})`)
  if (gone === undefined) return wrong("it is not told what is gone")
  if (gone.from !== last + 1) return wrong(`${gone.from} and on are said to be gone after ${last}`)
  if (gone.to === undefined) return checkForgotten(told, message)
  const { retainedBytes: bytes, retainedChunks: chunks } = told.actor.settings
  for (let seq = gone.from; seq <= gone.to; seq++)
    if (!told.truth.mayBeGone(seq, { bytes, chunks })) return wrong(`seq ${seq} is said to be gone`)
  return undefined
}

/** Checks that nothing is said to be gone that was written while the consumer was attached. */
export const checkAttached = (
  told: Told,
  { gone }: Pick<ClientError, "gone">,
  since: number | undefined,
): void => {
  if (gone?.to === undefined || since === undefined) return
  const piece = told.truth.pieces[gone.to - 1]
  if (piece === undefined || piece.at <= since) return
  told.violate("nothing is lost while a client is attached", `seq ${gone.to} was written, and is gone`)
}

/** Checks that the server may have forgotten the process. */
export const checkForgotten = (told: Told, what: string): undefined => {
  const { truth, actor } = told
  if (truth.expired) return
  const closedAt = Math.max(truth.exitedAt ?? Infinity, truth.endedAt ?? Infinity)
  if (actor.world.now - closedAt >= actor.settings.retentionMillis) return
  told.violate("a closed process is readable for its time", `it is forgotten: ${what}`)
}
