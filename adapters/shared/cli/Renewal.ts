/**
 * SIGUSR1: the server reads its certificates, tokens and secrets again. SIGHUP is no choice for that, because it is
 * what a closed terminal sends.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { NamedFiles } from "../serve/ServerTag.ts"

/** The line about the signal for the help of a command. */
export const help = "SIGUSR1 reads the files of --tls-*, --ws-token-file and --ws-shared-secret-file again."

/**
 * Each SIGUSR1, until the scope closes; those that come while one is handled count as one. Without a listener it would
 * open Node's debugger, or end the process.
 */
export const requests: Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope> = Effect.suspend(() =>
  each("SIGUSR1"),
)

/** Each signal of a kind, in the same way. */
export const each = (
  signal: "SIGUSR1" | "SIGUSR2" | "SIGQUIT",
): Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const queue = yield* Queue.make<void>({ capacity: 1, strategy: "sliding" })
    const request = () => void Queue.offerUnsafe(queue, undefined)
    yield* Effect.acquireRelease(
      Effect.sync(() => process.on(signal, request)),
      () => Effect.sync(() => process.off(signal, request)),
    )
    return queue
  })

/** Reads the files again. Their faults are logged, and those read before stay in use. */
export const renew = ({ named, renew }: NamedFiles) => {
  if (named.length === 0) {
    return Effect.logWarning("SIGUSR1: no flag names a certificate, a token or a secret to read again")
  }
  return Effect.matchEffect(renew, {
    onFailure: ({ message }) => Effect.logError(`SIGUSR1: ${message}; what was read before stays in use`),
    onSuccess: () => Effect.logInfo(`SIGUSR1: read again: ${named.join(", ")}`),
  })
}
