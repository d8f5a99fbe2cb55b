/**
 * Guards the events of one child: each end and the exit are delivered once, nothing after the end of a stream, and
 * nothing at all after the child's scope has closed.
 */
import type * as Spawner from "../../../core/spawn/Spawner.ts"

export interface ChildEvents extends Spawner.SpawnEvents {
  /** Ends every stream that is still open. */
  readonly endAll: () => void
  /** Drops every later event. */
  readonly mute: () => void
}

/** Passes events on to `events`, for a child that has these streams. */
export const make = (
  events: Spawner.SpawnEvents,
  streams: ReadonlyArray<Spawner.OutputStream>,
): ChildEvents => {
  const open = new Set(streams)
  let exited = false
  let muted = false
  const end = (stream: Spawner.OutputStream) => {
    if (open.delete(stream) && !muted) events.end(stream)
  }
  return {
    output: (stream, bytes) => {
      if (!muted && open.has(stream)) events.output(stream, bytes)
    },
    end,
    exit: (status, ending) => {
      if (exited || muted) return
      exited = true
      events.exit(status, ending)
    },
    endAll: () => {
      for (const stream of open) end(stream)
    },
    mute: () => {
      muted = true
    },
  }
}
