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
import type { CutText } from "../../../core/protocol/CutText.ts"
import * as Framing from "../../../core/transport/Framing.ts"
import * as Inbox from "../../../core/transport/Inbox.ts"
import { type Peer, type Transport, TransportError } from "../../../core/transport/Transport.ts"
import * as OrderlyClose from "./OrderlyClose.ts"
import * as SendQueue from "./SendQueue.ts"

export interface Options {
  /** The name of the carrier in error texts. */
  readonly label: string
  /** The client, on the side of a server. */
  readonly peer?: Peer
  readonly input: Readable
  /** Bytes that have been read from it before. */
  readonly before?: Uint8Array
  readonly output: Writable
  /** The longest line, in bytes; the default is 64 MiB. */
  readonly maxMessageBytes?: number
  /** True: the peer may end its output and read on; later messages to it go out then, until `close`. */
  readonly halfOpen?: boolean
  /** Cuts long base64 out of messages that come. Without it, all of them are texts. */
  readonly cut?: (line: Uint8Array) => CutText | undefined
  /** Called when the peer takes nothing more; `incoming` goes on then. Without it, it ends. */
  readonly onOutputClosed?: () => void
  /** Tells, soon after the input has ended, what `incoming` fails with, if with anything. Without it, it just ends. */
  readonly whyEnded?: (tell: (error?: TransportError) => void) => void
}

const newline = Uint8Array.of(10)

/** Takes over both streams; closing the scope closes them. */
export const make = ({
  label,
  peer,
  input,
  before,
  output,
  maxMessageBytes,
  halfOpen = false,
  cut,
  onOutputClosed,
  whyEnded = (tell) => tell(),
}: Options): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.gen(function* () {
    let ended = false
    const inbox: Inbox.Inbox = yield* Inbox.make((waiting) => {
      if (waiting === 0 && !ended) setImmediate(resume)
    })
    // In a turn of its own: Bun reads pending input within `resume`, so timers would starve under a flood.
    const resume = () => {
      if (!ended && inbox.waiting() === 0) input.resume()
    }
    const queue = SendQueue.make(output)
    const decoder = new Framing.LineDecoder(maxMessageBytes, cut)

    const endInput = (error?: TransportError) => {
      ended = true
      input.pause()
      inbox.end(error)
    }
    const end = (error?: TransportError) => {
      endInput(error)
      queue.stop()
    }
    const endNormally = () => end()
    const broken = (gone: () => void) => (cause: NodeJS.ErrnoException) =>
      peerGone(cause) ? gone() : end(ioError(cause))

    const take = (chunk: Uint8Array) => {
      if (ended) return
      let room = true
      for (const line of decoder.push(chunk)) room = inbox.offer(line) && room
      if (decoder.failure !== undefined) end(decoder.failure)
      else if (!room) input.pause()
    }
    let over = false
    const inputEnded = () => {
      if (ended || over) return
      over = true
      whyEnded(halfOpen ? endInput : end)
    }
    input.on("end", inputEnded).on("close", inputEnded).on("error", broken(inputEnded))
    const outputClosed = () => {
      if (onOutputClosed === undefined) return end()
      queue.stop()
      onOutputClosed()
    }
    output.on("close", outputClosed).on("error", broken(outputClosed))
    const begin = () => {
      input.on("data", take)
      if (input.destroyed || input.readableEnded || output.destroyed) inputEnded()
    }
    if (before === undefined) begin()
    else
      // As if they came now: the messages in them are answered before anything behind them is seen.
      setImmediate(() => {
        take(before)
        setImmediate(() => {
          begin()
          resume()
        })
      })

    const close = yield* OrderlyClose.make({
      stop: endNormally,
      queue,
      peerEnded: OrderlyClose.peerEnded(input, output),
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
      ...(cut && { cut: inbox.cut }),
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

/** Sockets, and the pipes of children, have such a method; their type does not say so. */
const unref = (stream: Readable | Writable): void => {
  if ("unref" in stream && typeof stream.unref === "function") stream.unref()
}

/** True for the errors of a stream whose other end was closed, or whose terminal hung up. */
const peerGone = (cause: NodeJS.ErrnoException): boolean =>
  cause.code === "EPIPE" || cause.code === "ECONNRESET" || cause.code === "EIO"

const ioError = (cause: Error): TransportError =>
  new TransportError({ reason: "Io", message: cause.message, cause })
