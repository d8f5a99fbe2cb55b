/**
 * What a caller says to start a process, and what the wire wants to hear: everything but `argv` has a default.
 */
import type * as Schema from "effect/Schema"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type { EnvPolicy, StartParams } from "../protocol/Process.ts"
import { toUri } from "./RemotePath.ts"

/** The params of `process/start` as they are on the wire. */
export type Wire = Schema.Schema.Encoded<typeof StartParams>

export interface StartOptions extends Partial<Omit<Wire, "argv" | "envPolicy">> {
  readonly argv: ReadonlyArray<string>
  /** A native path or a `file:` URI; relative to the server's directory, which is the default. */
  readonly cwd?: string
  /** Variables on top of what is inherited. */
  readonly env?: Readonly<Record<string, string>>
  /** Which of the server's variables the child inherits: `core` (the default), `all` or `none`. */
  readonly inherit?: EnvPolicy["inherit"]
  /** Says more than `inherit`; null: `env` is the whole environment. */
  readonly envPolicy?: EnvPolicy | null
}

/** The params of `process/start`. `newId` makes an id where none is given. */
export const toParams = (options: StartOptions, info: EnvironmentInfo, newId: () => string): Wire => {
  const { inherit = "core", envPolicy, ...given } = options
  return {
    tty: false,
    ...given,
    processId: options.processId ?? newId(),
    cwd: toUri(options.cwd ?? ".", info),
    env: options.env ?? {},
    envPolicy:
      envPolicy === undefined
        ? { inherit, ignoreDefaultExcludes: false, exclude: [], set: {}, includeOnly: [] }
        : envPolicy,
  }
}
