/** How a process on another procwire has ended. */
import * as Effect from "effect/Effect"
import type { ClientError } from "../../core/client/ClientError.ts"
import type { Exited } from "../../core/client/ProcessEvent.ts"
import type { RemoteProcess } from "../../core/client/RemoteProcess.ts"
import type { Ending } from "../../core/spawn/Spawner.ts"

/**
 * The exit code of a process that was killed. A read tells it, even if the event waits behind output that nobody takes
 * now.
 */
export const codeOfKilled = ({ exitCode, read }: RemoteProcess): Effect.Effect<number, ClientError> =>
  read({ afterSeq: Number.MAX_SAFE_INTEGER, waitMs: 60_000 }).pipe(
    Effect.flatMap((state) => (state.exitCode === null ? exitCode : Effect.succeed(state.exitCode))),
    Effect.orElse(() => exitCode),
  )

/** What the event tells beyond the code. */
export const endingOf = ({ limit, oomKilled }: Exited): Ending =>
  limit === undefined ? {} : { endedBy: "limit", limit, oomKilled }
