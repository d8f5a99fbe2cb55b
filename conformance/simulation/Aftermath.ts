/** What must hold of a process when its client has lost it: it is not called, and does not run on unseen. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { RemoteProcess } from "../../core/client/RemoteProcess.ts"
import type { Live } from "./Actor.ts"
import { answerBound } from "./Network.ts"
import type { ProcessPlan } from "./ProcessPlan.ts"
import type { Program } from "./Program.ts"
import type { Truth } from "./Truth.ts"

/** The program that follows a process. */
type Follower = Program & { readonly plan: ProcessPlan; readonly truth: Truth }

/** Its start was given up, or has failed: it must not run on, once its client has had a connection for a while. */
export const expectEnd = (program: Follower, live: Live): void => {
  const { actor, truth, plan } = program
  const { world, network, index } = actor
  const { sessionId } = live.client
  truth.endWantedAt ??= world.now
  world.watch(2 * answerBound + plan.script.spawnMillis, () => {
    const since = network.smoothSince(index)
    // Another client does not know of it.
    if (!actor.isLive(live) || actor.sessionId !== sessionId) return
    if (since === undefined || since > world.now - answerBound) return
    const { spawnedAt, killedAt, exitedAt, releasedAt } = truth
    // guards: scopes
    if (spawnedAt !== undefined && (killedAt ?? exitedAt ?? releasedAt) === undefined)
      program.violate("nothing outlives its session", "its start was given up or has failed, and it runs on")
  })
}

/** A call on a process of a lost session reaches no process of the next one. */
export const callLost = (
  program: Follower,
  { process, sessionId }: { readonly process: RemoteProcess; readonly sessionId: string },
): Effect.Effect<void> => {
  if (program.actor.sessionId === sessionId) return Effect.void
  return Effect.map(Effect.either(process.terminate), (answer) => {
    if (Either.isRight(answer) || answer.left.reason !== "SessionLost")
      program.violate("calls fail for a reason", "a process of a lost session is called in the next one")
  })
}
