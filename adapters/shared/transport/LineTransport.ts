/**
 * A transport over a pair of byte streams, one JSON text per line: stdin and stdout of this process, those of a child,
 * or a socket.
 *
 * Reading pauses while `incoming` is full. `incoming` ends when the peer closes its end or dies; it fails when a line
 * is too long or not UTF-8.
 */
import type { Readable, Writable } from "node:stream"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CutText } from "../../../core/protocol/CutText.ts"
import type { MemoryPool } from "../../../core/protocol/MemoryPool.ts"
import * as Framing from "../../../core/transport/Framing.ts"
import * as Inbox from "../../../core/transport/Inbox.ts"
import { type Peer, type Transport, TransportError } from "../../../core/transport/Transport.ts"
import * as OrderlyClose from "./OrderlyClose.ts"
import * as SendQueue from "./SendQueue.ts"

export interface Options {
  /** What carries the messages, as error texts name it. */
  readonly label: string
  /** Who is at the other end, on the side of a server. */
  readonly peer?: Peer
  readonly input: Readable
  readonly output: Writable
  /** The longest line, in bytes; the default is 64 MiB. */
  readonly maxMessageBytes?: number
  /** Decodes long base64 in messages that come, as requests have it, into memory of this pool. */
  readonly pool?: MemoryPool
  /** Called when the peer takes nothing more; `incoming` goes on then. Without it, it ends. */
  readonly onOutputClosed?: () => void
}

const newline = Uint8Array.of(10)

/** Takes over both streams; closing the scope closes them. */
export const make = ({
  label,
  peer,
  input,
  output,
  maxMessageBytes,
  pool,
  onOutputClosed,
}: Options): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.gen(function* () {
    let ended = false
    const inbox: Inbox.Inbox = yield* Inbox.make((waiting) => {
      if (waiting === 0 && !ended) setImmediate(resume)
    })
    // In a turn of its own: Bun reads what is there within `resume`, so timers would starve under a flood.
    const resume = () => {
      if (!ended && inbox.waiting() === 0) input.resume()
    }
    const queue = SendQueue.make(output)
    const cut = pool && ((line: Uint8Array) => CutText.fromBytes(line, pool))
    const decoder = new Framing.LineDecoder(maxMessageBytes, cut)

    const end = (error?: TransportError) => {
      ended = true
      input.pause()
      inbox.end(error)
      queue.stop()
    }
    const endNormally = () => end()
    const broken = (gone: () => void) => (cause: NodeJS.ErrnoException) =>
      peerGone(cause) ? gone() : end(ioError(cause))

    input.on("data", (chunk: Uint8Array) => {
      if (ended) return
      let room = true
      for (const line of decoder.push(chunk)) room = inbox.offer(line) && room
      if (decoder.failure !== undefined) end(decoder.failure)
      else if (!room) input.pause()
    })
    input.on("end", endNormally).on("close", endNormally).on("error", broken(endNormally))
    const outputClosed = () => {
      if (onOutputClosed === undefined) return end()
      queue.stop()
      onOutputClosed()
    }
    output.on("close", outputClosed).on("error", broken(outputClosed))
    if (input.destroyed || output.destroyed) end()

    const close = yield* OrderlyClose.make({
      stop: endNormally,
      queue,
      peerEnded: peerEnded(input, output),
      gone: () => input.destroyed && output.destroyed,
      destroy: () => {
        input.destroy()
        output.destroy()
      },
    })
    return {
      label,
      peer,
      incoming: inbox.incoming,
      ...(pool && { cut: inbox.cut }),
      write: (message) =>
        typeof message === "string"
          ? queue.write(Framing.encodeLine(message))
          : queue.write(message, newline),
      onDrain: queue.onDrain,
      close,
      ...("bytesRead" in input ? { received: () => Number(input.bytesRead) } : {}),
      unref: () => [input, output].forEach(unref),
    }
  })

/**
 * Waits until the peer has ended its side of a socket. Destroying a socket with unread input resets the connection,
 * and a reset can discard what the peer has not read yet.
 */
const peerEnded = (input: Readable, output: Readable | Writable): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    if (input !== output || input.destroyed || input.readableEnded) return resume(Effect.void)
    const done = () => resume(Effect.void)
    input.once("end", done).once("close", done).resume()
  })

/** Sockets, and the pipes of children, have such a method; their type does not say so. */
const unref = (stream: Readable | Writable): void => {
  if ("unref" in stream && typeof stream.unref === "function") stream.unref()
}

/** True for the errors of a stream whose other end was closed, or whose terminal hung up. */
const peerGone = (cause: NodeJS.ErrnoException): boolean =>
  cause.code === "EPIPE" || cause.code === "ECONNRESET" || cause.code === "EIO"

const ioError = (cause: Error): TransportError =>
  new TransportError({ reason: "Io", message: cause.message, cause })
