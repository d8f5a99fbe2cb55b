/**
 * What the tools need of whoever runs processes: a client to a far server, or to one in this process.
 *
 * An `ExecClient` is one. The events of a process are subscribed to before its start is sent, so that a
 * flood in the first moments finds its consumer there.
 */
import type * as Effect from "effect/Effect"
import type { ClientError } from "../client/ClientError.ts"
import type { Subscribed } from "../client/ProcessStarter.ts"
import type { StartOptions } from "../client/StartOptions.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"

export interface ExecBackend {
  /** The shell, the directory and the platform of the host where processes run. */
  readonly environmentInfo: EnvironmentInfo
  /** Starts a process; if interrupted, the process is terminated. */
  readonly startSubscribed: (options: StartOptions) => Effect.Effect<Subscribed, ClientError>
}
