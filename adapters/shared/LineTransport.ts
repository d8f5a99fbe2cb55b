/**
 * A transport over a pair of byte streams, one JSON text per line: stdin and stdout of this process, or
 * those of a child.
 *
 * The first message of an event-loop turn is written at once, the others of that turn leave together in
 * one `writev`. Bytes are never copied. Reading stops while nobody takes from `incoming`.
 */
import * as process from "node:process"
import type { Readable, Writable } from "node:stream"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Framing from "../../core/transport/Framing.ts"
import * as Inbox from "../../core/transport/Inbox.ts"
import {
  highWaterMark,
  type Outgoing,
  type Transport,
  TransportError,
} from "../../core/transport/Transport.ts"

export interface Options {
  readonly label: string
  readonly input: Readable
  readonly output: Writable
}

/** From this size on a message is not held back to be written with the next. */
const largeBytes = 16 * 1024

/** How long `close` waits for a peer to read what is queued. */
const closeDeadline = "500 millis"

const newline = Uint8Array.of(10)

/** Takes over both streams; the scope closes them. */
export const make = ({ label, input, output }: Options): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.gen(function* () {
    const inbox = yield* Inbox.make((waiting) => {
      if (waiting === 0 && !ended) input.resume()
    })
    const decoder = new Framing.LineDecoder()
    let ended = false
    let stalled = false
    let drained = () => {}
    let turn = false
    let corked = false

    const onDrain = () => {
      if (!stalled) return
      stalled = false
      drained()
    }
    const end = (error?: TransportError) => {
      ended = true
      input.pause()
      inbox.end(error)
      onDrain()
    }
    const endTurn = () => {
      turn = false
      if (corked) output.uncork()
      corked = false
    }

    input.on("data", (chunk: Uint8Array) => {
      if (ended) return
      let room = true
      for (const line of decoder.push(chunk)) room = inbox.offer(line) && room
      if (decoder.failure !== undefined) end(decoder.failure)
      else if (!room) input.pause()
    })
    input.on("end", () => end())
    input.on("close", () => end())
    input.on("error", (cause) => end(peerGone(cause) ? undefined : ioError(cause)))
    output.on("drain", onDrain)
    output.on("close", () => end())
    output.on("error", (cause) => end(peerGone(cause) ? undefined : ioError(cause)))

    const write = (message: Outgoing): boolean => {
      if (ended) return true
      const first = !turn
      if (first) {
        turn = true
        process.nextTick(endTurn)
      }
      if (!corked) output.cork()
      corked = true
      let accepted: boolean
      if (typeof message === "string") {
        accepted = output.write(Framing.encodeLine(message))
      } else {
        output.write(message)
        accepted = output.write(newline)
      }
      if (first || message.length >= largeBytes) {
        output.uncork()
        corked = false
      }
      // Bun's stdout does not count what it holds; there its own, lower mark has to do.
      const length = output.writableLength
      stalled = !accepted && (length === 0 || length >= highWaterMark)
      return !stalled
    }

    const close = yield* Effect.cached(
      Effect.sync(() => end()).pipe(
        Effect.zipRight(flush(output)),
        Effect.ensuring(
          Effect.sync(() => {
            input.destroy()
            output.destroy()
          }),
        ),
        Effect.uninterruptible,
      ),
    )
    yield* Effect.addFinalizer(() => close)
    return {
      label,
      incoming: inbox.incoming,
      write,
      onDrain: (listener) => {
        drained = listener
      },
      close,
    }
  })

/** Ends a stream and waits until all was taken, but not for long. */
const flush = (output: Writable): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    if (output.destroyed || output.writableFinished) return resume(Effect.void)
    const done = () => resume(Effect.void)
    output.once("close", done)
    output.once("error", done)
    output.end(done)
  }).pipe(Effect.interruptible, Effect.timeoutOption(closeDeadline), Effect.asVoid)

const peerGone = (cause: NodeJS.ErrnoException): boolean =>
  cause.code === "EPIPE" || cause.code === "ECONNRESET" || cause.code === "EIO"

const ioError = (cause: Error): TransportError =>
  new TransportError({ reason: "Io", message: cause.message, cause })
