/** Restarts, in clients. */
import * as Effect from "effect/Effect"
import type { ClientError } from "../../client/ClientError.ts"
import { checked } from "../../client/OptionNames.ts"
import type { Signal } from "../../protocol/Signals.ts"
import type { Followed } from "../ClientPart.ts"

/** Options of `restart`. */
export interface RestartOptions {
  /** Asks the process to end. Default: SIGTERM. */
  readonly signal?: Signal
  /** The milliseconds that it has; 0 kills at once. Default: the `killGraceMs` of its start, or 5,000. */
  readonly graceMs?: number
}

/** Its call on a process. */
export interface Calls {
  /**
   * Starts a process again that was started with `restart`. One that runs is ended as by `end`, and goes on with its
   * next child; it completes when that runs. One that is closed is replaced by a new process of its id, to which
   * `attach` leads. Needs the capability `processRestart`.
   */
  readonly restart: (options?: RestartOptions) => Effect.Effect<void, ClientError>
}

/** The part of the feature in clients. */
export const restart = {
  promises: { restart: 1 },
  make: ({ id, call }: Followed): Effect.Effect<Calls> =>
    Effect.succeed({
      restart: checked("restart", { signal: true, graceMs: true }, (options: RestartOptions) =>
        Effect.asVoid(call("process/restart", { processId: id, ...options })),
      ),
    }),
} as const
