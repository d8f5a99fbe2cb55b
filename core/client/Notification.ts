/**
 * Decodes notifications of the server into events of processes.
 *
 * Nearly everything a client receives is output, so its shape is checked by hand, for speed. What fails that check, and
 * every other notification, goes through `FromServer`, which decides.
 */
import * as Result from "effect/Result"
import type { DetachReason } from "../features/attach/wire.ts"
import { fromBase64 } from "../protocol/Bytes.ts"
import * as FromServer from "../protocol/decoding/FromServer.ts"
import type { Json } from "../protocol/Json.ts"
import { isObject } from "../protocol/Json.ts"
import type { ServerNotificationName } from "../protocol/Methods.ts"
import type { OutputStream } from "../protocol/Process.ts"
import type { Sequenced } from "./ProcessEvent.ts"

/** An event, and the process it belongs to. */
export interface Received {
  readonly processId: string
  readonly event: Sequenced | RoleMessage
}

/** A message about an attachment to a process: it has no place among the events. */
export type RoleMessage =
  | { readonly kind: "writer"; readonly writer: boolean }
  | { readonly kind: "detached"; readonly reason: DetachReason }

/** The notifications that are events of processes. */
export type Name = Extract<ServerNotificationName, `process/${string}`>

/** True for such a notification. */
export const isOfProcess = (method: ServerNotificationName): method is Name => method.startsWith("process/")

/** The event in a notification; as a failure, what is malformed. */
export const decode = (method: Name, params: Json): Result.Result<Received, string> => {
  if (method === "process/output") return output(params)
  if (method === "process/gap")
    return Result.map(FromServer.notification(method, params), ({ processId, from, to, screen }) => ({
      processId,
      event: { kind: "gap", from, seq: to, ...(screen && { screen }) },
    }))
  return Result.map(FromServer.notification(method, params), ({ processId, ...rest }) => ({
    processId,
    event: toEvent(method.slice("process/".length), rest) as Received["event"],
  }))
}

/** An event of this kind; a `kind` of its own stands in a field of that name. */
export const toEvent = (kind: string, fields: object): object =>
  "kind" in fields ? { ...fields, kind, [kind]: fields.kind } : { ...fields, kind }

const output = (params: Json): Result.Result<Received, string> => {
  if (isObject(params)) {
    const { processId, seq, stream, chunk } = params
    if (typeof processId === "string" && typeof seq === "number" && isStream(stream)) {
      const bytes = bytesOf(chunk)
      if (bytes !== undefined)
        return Result.succeed({ processId, event: { kind: "output", seq, stream, bytes } })
    }
  }
  return Result.map(
    FromServer.notification("process/output", params),
    ({ processId, seq, stream, chunk }) => ({
      processId,
      event: { kind: "output", seq, stream, bytes: chunk },
    }),
  )
}

/** Of a `CutText` they are decoded. */
const bytesOf = (chunk: unknown): Uint8Array | undefined =>
  chunk instanceof Uint8Array
    ? chunk
    : typeof chunk === "string"
      ? Result.getOrUndefined(fromBase64(chunk))
      : undefined

const isStream = (value: Json | undefined): value is OutputStream =>
  value === "stdout" || value === "stderr" || value === "pty"
