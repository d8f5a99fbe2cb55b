/**
 * The seam between the tools and what runs their processes. An `ExecClient` is one, connected to a remote server or to
 * one in this program.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { ClientError } from "../client/ClientError.ts"
import type { Subscribed } from "../client/ProcessStarter.ts"
import type { StartOptions } from "../client/StartOptions.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"

/** The announced capabilities of a server. */
export type Server = NonNullable<EnvironmentInfo["capabilities"]>

/** Runs processes for the tools. */
export interface ExecBackend {
  /** The shell, the directory and the platform of the host where processes run. */
  readonly environmentInfo: EnvironmentInfo
  /**
   * Starts a process, with a subscription to its events that is made before the start is sent: a flood of early output
   * finds its consumer. Interrupting the effect terminates the process.
   */
  readonly startSubscribed: (options: StartOptions) => Effect.Effect<Subscribed, ClientError>
}

/** Random ids of six hex digits. */
export const nextHexId: Effect.Effect<string> = Effect.map(Random.nextIntBetween(0, 2 ** 24 - 1), (number) =>
  number.toString(16).padStart(6, "0"),
)
