/** The body of a response, read with back-pressure: at most 256 KiB are read ahead. */
import type { IncomingMessage } from "node:http"
import { Buffer } from "node:buffer"
import type { Readable } from "node:stream"
import * as Effect from "effect/Effect"
import { HttpError, type Response } from "../../../core/http/HttpClient.ts"
import type { Decoder } from "./Codings.ts"

/** The bytes read ahead of the consumer. */
const ahead = 256 * 1024

/** Must be called in the event-loop turn of the "response" event, or data would be lost. */
export const make = (incoming: IncomingMessage, url: string, decoder?: Decoder): Response["read"] => {
  let pieces: Array<Uint8Array> = []
  let size = 0
  let end: Effect.Effect<undefined, HttpError> | undefined
  let wake = () => {}

  const finish = (cause?: unknown) => {
    end ??=
      cause === undefined
        ? Effect.succeed(undefined)
        : Effect.fail(new HttpError({ reason: "Body", message: String(cause), url, cause }))
    wake()
  }
  const take = (from: Readable) => (bytes: Uint8Array) => {
    pieces.push(bytes)
    size += bytes.length
    if (size >= ahead) from.pause()
    wake()
  }
  const source = decoder === undefined ? incoming : decoded(incoming, decoder, take, finish)
  if (decoder === undefined) {
    incoming.on("data", take(incoming))
    atEnd(incoming, finish)
  }

  return Effect.callback<Uint8Array | undefined, HttpError>((resume) => {
    const look = () => {
      if (size === 0 && end === undefined) return
      wake = () => {}
      if (size === 0) return resume(end ?? Effect.succeed(undefined))
      const [first] = pieces
      const bytes = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces, size)
      pieces = []
      size = 0
      source.resume()
      resume(Effect.succeed(bytes))
    }
    wake = look
    look()
    return Effect.sync(() => (wake = () => {}))
  })
}

/** Calls `finish` once the body has ended, at least once; with a cause if it is incomplete. */
const atEnd = (incoming: IncomingMessage, finish: (cause?: unknown) => void): void => {
  incoming.on("end", () => finish(incoming.complete ? undefined : "the body is incomplete"))
  incoming.on("error", finish)
  incoming.on("close", () => finish("the connection was closed"))
}

/**
 * The decoder of a body, which gets it with back-pressure. A body without a byte is decoded as one, although no coding
 * has such a form. A fault comes after what was decoded before, but for the piece that has it.
 */
const decoded = (
  incoming: IncomingMessage,
  decoder: Decoder,
  take: (from: Readable) => (bytes: Uint8Array) => void,
  finish: (cause?: unknown) => void,
): Readable => {
  const stream = decoder()
  let begun = false
  let ended = false
  let fault: unknown
  stream.on("data", take(stream))
  stream.on("drain", () => incoming.resume())
  stream.on("end", () => finish(fault))
  stream.on("error", finish)
  incoming.on("data", (bytes: Uint8Array) => {
    begun = true
    if (!stream.write(bytes)) incoming.pause()
  })
  atEnd(incoming, (cause) => {
    if (ended) return
    ended = true
    fault = cause
    if (begun) stream.end()
    else finish(cause)
  })
  return stream
}
