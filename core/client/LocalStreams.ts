/**
 * The stdin, stdout and stderr of the program that a client runs in, and files of its machine, as a service: core knows
 * none of them, and a page in a browser has none.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"

/** Takes bytes, and completes when it has room for more. Fails with an error of the system. */
export type Write = (bytes: Uint8Array) => Effect.Effect<void, Error>

/** The streams and files of a runtime. */
export interface LocalStreamsService {
  /** The stdin of this program, read no further than asked for; the next reader goes on behind it. */
  readonly stdin: Stream.Stream<Uint8Array, Error>
  /** Writes to the stdout of this program. */
  readonly stdout: Write
  /** Writes to the stderr of this program. */
  readonly stderr: Write
  /** Opens a file to write at its end, which is made where there is none, and emptied unless that is to be kept. */
  readonly open: (path: string, keep: boolean) => Effect.Effect<Write, Error, Scope.Scope>
}

/** The service; the default is none. */
export const LocalStreams = Context.Reference("procwire/LocalStreams", {
  defaultValue: (): LocalStreamsService | undefined => undefined,
})
