/**
 * The sending half over a Node stream: the byte path out, word to a writer when the peer does not keep
 * up, and an orderly end.
 *
 * The first message of an event-loop turn is written at once, the others of that turn leave together in
 * one `writev`. Bytes are never copied. What waits is bounded only by the writer's obedience.
 */
import * as process from "node:process"
import type { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import { highWaterMark } from "../../../core/transport/Transport.ts"

export interface SendQueue {
  /** Queues one message in one or two parts; false while more than the high-water mark waits. */
  readonly write: (head: Uint8Array, body?: Uint8Array) => boolean
  /** Called when the queue has been written after `write` answered false. One listener. */
  readonly onDrain: (listener: () => void) => void
  /** Nothing more is queued; a writer that waits is let go. */
  readonly stop: () => void
  /** Ends the stream and waits until the peer took what is queued; may wait for ever. */
  readonly flush: Effect.Effect<void>
}

/** From this size on a message is not held back to be written with the next. */
const largeBytes = 16 * 1024

/** How long a transport that is closed waits for its peer, all in all. */
export const closeDeadline = "500 millis"

export const make = (output: Writable): SendQueue => {
  let stopped = false
  let stalled = false
  let drained = () => {}
  let turn = false
  let corked = false

  const release = () => {
    if (!stalled) return
    stalled = false
    drained()
  }
  const uncork = () => {
    if (!corked) return
    corked = false
    output.uncork()
  }
  const endTurn = () => {
    turn = false
    uncork()
  }
  // Bun's sockets of `node:http` say it after any write, whatever else still waits.
  output.on("drain", () => {
    if (output.writableLength < highWaterMark) release()
  })

  return {
    write: (head, body) => {
      if (stopped) return true
      const first = !turn
      if (first) {
        turn = true
        process.nextTick(endTurn)
      }
      if (!corked) {
        corked = true
        output.cork()
      }
      let accepted = output.write(head)
      if (body !== undefined) accepted = output.write(body)
      // Bun's stdout does not count what it holds; there its own, lower mark has to do.
      const counts = output.writableLength > 0
      if (first || head.length >= largeBytes || (body !== undefined && body.length >= largeBytes)) uncork()
      // Once said, it holds until the drain: another writer's small message must not swallow that.
      if (!accepted && (!counts || output.writableLength >= highWaterMark)) stalled = true
      return !stalled
    },
    onDrain: (listener) => {
      drained = listener
    },
    stop: () => {
      stopped = true
      release()
    },
    flush: Effect.async<void>((resume) => {
      if (output.destroyed || output.writableFinished) return resume(Effect.void)
      uncork()
      const done = () => resume(Effect.void)
      output.once("close", done)
      output.once("error", done)
      output.end(done)
    }),
  }
}
