/**
 * Writes to the stdin of a child: to a stream over the write end of its pipe, or over the master of its PTY.
 *
 * A write that the kernel takes whole at once completes synchronously, within microseconds. One that finds the pipe
 * full suspends until the kernel has all its bytes, which must not change meanwhile. If the child has closed its stdin
 * a write fails with `StdinError`; there is never an uncaught `error` event.
 */
import type { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"

export interface StdinWriter {
  /** Writes at the call. `Effect.void` itself if the kernel has taken the bytes. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, SpawnError.StdinError>
  /** Closes the child's stdin after earlier writes. */
  readonly end: () => void
  /** Closes it now; writes that still wait fail. */
  readonly destroy: () => void
}

const notOpen = new SpawnError.StdinError({ reason: "NotOpen" })

/** For a child whose stdin is `/dev/null`. */
export const none: StdinWriter = {
  write: () => Effect.fail(notOpen),
  end: () => {},
  destroy: () => {},
}

/** Writes to `stream`, and destroys it at the end. */
export const make = (stream: Writable): StdinWriter => {
  stream.on("error", () => {})
  return {
    write: (bytes) => writeTo(stream, bytes),
    end: () => {
      if (stream.writable) stream.end()
    },
    destroy: () => {
      stream.destroy()
    },
  }
}

/** False on Bun: `writableLength` of a child's stdin is always 0 there. */
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
  return Effect.callback((callback) => {
    if (outcome === undefined) resume = callback
    else callback(outcome)
  })
}

const closed = (cause: unknown): Outcome =>
  Effect.fail(new SpawnError.StdinError({ reason: "Closed", cause }))
