/**
 * The sending half of a transport over a Node stream: the byte path out, back-pressure for the writer, and an orderly
 * end.
 *
 * The first message of an event-loop turn is written at once; the others of that turn leave together in one `writev`.
 * Bytes are never copied, and are given back to their pool once written. The queue is bounded only if the writer
 * stops while `write` answers false.
 */
import process from "node:process"
import type { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import { giveBack } from "../../../core/protocol/MemoryPool.ts"
import { highWaterMark } from "../../../core/transport/Transport.ts"

export interface SendQueue {
  /** Queues one message in one or more parts; answers false while more than the high-water mark waits. */
  readonly write: (head: Uint8Array, body?: Uint8Array, more?: ReadonlyArray<Uint8Array>) => boolean
  /** Sets the one listener, called when the queue is below the high-water mark again after `write` answered false. */
  readonly onDrain: (listener: () => void) => void
  /** Ignores later messages, and calls the `onDrain` listener if the writer is waiting. */
  readonly stop: () => void
  /** Bytes that wait to be written. */
  readonly queued: () => number
  /** Ends the stream and waits until everything queued is written; waits for ever if the peer does not read. */
  readonly flush: Effect.Effect<void>
}

/** A message of this size or more is not held back to be written together with the next. */
const largeBytes = 16 * 1024

export const make = (output: Writable): SendQueue => {
  let stopped = false
  let stalled = false
  let drained = () => {}
  let turn = false
  let corked = false
  /** Large parts that the stream still has, in order. */
  const unwritten: Array<Uint8Array> = []

  const written = (error?: Error | null) => {
    const part = unwritten.shift()
    // Of a stream that has failed the system may still hold some.
    if (part !== undefined && !error) giveBack(part)
  }
  const send = (part: Uint8Array) => {
    if (part.length < largeBytes) return output.write(part)
    unwritten.push(part)
    return output.write(part, written)
  }
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
  // On Bun, sockets of `node:http` emit "drain" after any write, although more is queued: look at the queue.
  output.on("drain", () => {
    if (output.writableLength < highWaterMark) release()
  })

  return {
    write: (head, body, more) => {
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
      let accepted = send(head)
      if (body !== undefined) accepted = send(body)
      if (more !== undefined) for (const part of more) accepted = send(part)
      // Bun's stdout does not count its queue: rely on the stream's own, lower mark there.
      const counts = output.writableLength > 0
      const isLarge = head.length >= largeBytes || (body !== undefined && body.length >= largeBytes)
      if (first || isLarge || (more !== undefined && more.length > 0)) uncork()
      // Stalled holds until the drain: a later small message that fits must not hide it.
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
    queued: () => output.writableLength,
    flush: Effect.callback<void>((resume) => {
      if (output.destroyed || output.writableFinished) return resume(Effect.void)
      uncork()
      const done = () => resume(Effect.void)
      output.once("close", done)
      output.once("error", done)
      output.end(done)
    }),
  }
}
