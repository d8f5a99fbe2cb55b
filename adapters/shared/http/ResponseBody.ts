/** The body of a response, read with back-pressure: at most 256 KiB are read ahead. */
import type { IncomingMessage } from "node:http"
import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import { HttpError, type Response } from "../../../core/http/HttpClient.ts"

/** The bytes read ahead of the consumer. */
const ahead = 256 * 1024

/** Must be called in the event-loop turn of the "response" event, or data would be lost. */
export const make = (incoming: IncomingMessage, url: string): Response["read"] => {
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
  incoming.on("data", (bytes: Uint8Array) => {
    pieces.push(bytes)
    size += bytes.length
    if (size >= ahead) incoming.pause()
    wake()
  })
  incoming.on("end", () => finish(incoming.complete ? undefined : "the body is incomplete"))
  incoming.on("error", finish)
  incoming.on("close", () => finish("the connection was closed"))

  return Effect.async<Uint8Array | undefined, HttpError>((resume) => {
    const look = () => {
      if (size === 0 && end === undefined) return
      wake = () => {}
      if (size === 0) return resume(end ?? Effect.succeed(undefined))
      const [first] = pieces
      const bytes = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces, size)
      pieces = []
      size = 0
      incoming.resume()
      resume(Effect.succeed(bytes))
    }
    wake = look
    look()
    return Effect.sync(() => (wake = () => {}))
  })
}
