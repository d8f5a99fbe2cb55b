/** A reader of one process, as the process knows it: it gets every event of every stream. */
import type { Event } from "../protocol/dialect/Dialect.ts"
import type * as Spawner from "../spawn/Spawner.ts"

/** A reader that gets every event; the child is paused while it lags. */
export interface Attachment {
  /** The next event that is not delivered yet. The bytes of output are valid until the child writes again. */
  readonly next: () => Event | undefined
  /** Marks everything up to and including `seq` as delivered. */
  readonly advance: (seq: number) => void
  /** The reader is gone: it no longer holds output or pauses the child. */
  readonly detach: () => void
}

/** The streams that such a process writes. */
export const streamsOf = ({ kind }: Spawner.Stdio): ReadonlyArray<Spawner.OutputStream> =>
  kind === "pty" ? ["pty"] : ["stdout", "stderr"]
