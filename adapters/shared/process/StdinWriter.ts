/**
 * The way into a child: a stream over the write end of its stdin pipe, or over a PTY's master.
 *
 * A write that the kernel takes whole at once completes synchronously, within microseconds; only one that
 * finds the pipe full suspends, until its bytes are with the kernel. Bytes must not change while it does.
 * A child that has closed its stdin is a `StdinError`, never an uncaught `error` event.
 */
import type { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"

export interface StdinWriter {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, SpawnError.StdinError>
  /** Closes the child's stdin after what was written. */
  readonly end: () => void
  /** Closes it now, and fails what was not yet written. */
  readonly destroy: () => void
}

const notOpen = new SpawnError.StdinError({ reason: "NotOpen" })

/** For a child without a stdin of its own. */
export const none: StdinWriter = {
  write: () => Effect.fail(notOpen),
  end: () => {},
  destroy: () => {},
}

/** Writes to `stream`, which it owns from here on if nobody reads from it. */
export const make = (stream: Writable): StdinWriter => {
  stream.on("error", () => {})
  return {
    write: (bytes) => Effect.suspend(() => writeTo(stream, bytes)),
    end: () => {
      if (stream.writable) stream.end()
    },
    destroy: () => {
      stream.destroy()
    },
  }
}

/** Bun's streams over a child's stdin do not count what they hold. */
const counts = !("Bun" in globalThis)

type Outcome = Effect.Effect<void, SpawnError.StdinError>

const writeTo = (stream: Writable, bytes: Uint8Array): Outcome => {
  if (!stream.writable) return closed(stream.errored ?? undefined)
  if (bytes.length === 0) return Effect.void
  let outcome: Outcome | undefined
  let resume: ((outcome: Outcome) => void) | undefined
  stream.write(bytes, (error) => {
    outcome = error || stream.destroyed ? closed(error ?? undefined) : Effect.void
    resume?.(outcome)
  })
  if (stream.writableLength === 0 && !stream.errored && counts) return Effect.void
  return Effect.async((callback) => {
    if (outcome === undefined) resume = callback
    else callback(outcome)
  })
}

const closed = (cause: unknown): Outcome =>
  Effect.fail(new SpawnError.StdinError({ reason: "Closed", cause }))
