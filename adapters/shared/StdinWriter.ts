/**
 * The way into a child: a socket over the write end of its stdin pipe, or over a PTY's master.
 *
 * A write that the kernel takes whole at once completes synchronously, within microseconds; only one that
 * finds the pipe full suspends, until its bytes are with the kernel. Bytes must not change while it does.
 * A child that has closed its stdin is a `StdinError`, never an uncaught `error` event.
 */
import type * as Net from "node:net"
import * as Effect from "effect/Effect"
import * as SpawnError from "../../core/spawn/SpawnError.ts"

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

/** Writes to `socket`, which it owns from here on if nobody reads from it. */
export const make = (socket: Net.Socket): StdinWriter => {
  socket.on("error", () => {})
  return {
    write: (bytes) => Effect.suspend(() => writeTo(socket, bytes)),
    end: () => {
      if (socket.writable) socket.end()
    },
    destroy: () => {
      socket.destroy()
    },
  }
}

type Outcome = Effect.Effect<void, SpawnError.StdinError>

const writeTo = (socket: Net.Socket, bytes: Uint8Array): Outcome => {
  if (!socket.writable) return closed(socket.errored ?? undefined)
  if (bytes.length === 0) return Effect.void
  let outcome: Outcome | undefined
  let resume: ((outcome: Outcome) => void) | undefined
  socket.write(bytes, (error) => {
    outcome = error || socket.destroyed ? closed(error ?? undefined) : Effect.void
    resume?.(outcome)
  })
  if (socket.writableLength === 0 && !socket.errored) return Effect.void
  return Effect.async((callback) => {
    if (outcome === undefined) resume = callback
    else callback(outcome)
  })
}

const closed = (cause: unknown): Outcome =>
  Effect.fail(new SpawnError.StdinError({ reason: "Closed", cause }))
