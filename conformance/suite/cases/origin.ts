/**
 * Not cases: an HTTP server of the suite that the server under test sends its requests to.
 */
import {
  Check,
  isObject,
  make,
  type Case,
  type CaseContext,
  type CaseFacts,
  type Json,
  type JsonObject,
  type Wire,
} from "../Vocabulary.ts"
import * as HttpOrigin from "../wire/HttpOrigin.ts"

export interface Exchange {
  readonly t: CaseContext
  readonly wire: Wire
  readonly origin: HttpOrigin.HttpOrigin
  readonly params: (path: string, other?: JsonObject) => JsonObject
  /** Asks for a path with `http/request`; returns the result. */
  readonly ask: (path: string, other?: JsonObject) => Promise<JsonObject>
}

export type OriginSpec = CaseFacts & {
  /** Answers the requests that reach the suite's server; 204 by default. */
  readonly serve?: HttpOrigin.Answer
  readonly run: (exchange: Exchange) => Promise<void>
}

/** A table of cases that each have an HTTP server to ask. */
export const originTable = (
  prefix: string,
  specs: { readonly [name: string]: OriginSpec },
): ReadonlyArray<Case> =>
  Object.entries(specs).map(([name, { serve = nothing, run, ...spec }]) =>
    make(`${prefix}/${name}`, {
      server: spec.args === undefined ? "owned" : "fresh",
      ...spec,
      requires: ["http-client", ...(spec.requires ?? [])],
      run: async (t) => {
        const origin = await HttpOrigin.start(serve)
        try {
          const wire = await t.open()
          let next = 0
          const params: Exchange["params"] = (path, other = {}) => ({
            method: "GET",
            url: `${origin.url}${path}`,
            requestId: `r${next++}`,
            ...other,
          })
          const ask: Exchange["ask"] = (path, other) => wire.ok("http/request", params(path, other))
          await run({ t, wire, origin, params, ask })
        } finally {
          origin.close()
        }
      },
    }),
  )

const nothing: HttpOrigin.Answer = (_, response) => {
  response.writeHead(204)
  response.end()
}

export const bodyOf = (result: JsonObject): Buffer =>
  Buffer.from(Check.text(result["bodyBase64"], "bodyBase64"), "base64")

/** The values of one header of a result, in order. */
export const headerOf = (result: JsonObject, name: string): ReadonlyArray<Json> =>
  Check.list(result["headers"], "headers").flatMap((item) => {
    const header = Check.object(item, "a header")
    return header["name"] === name ? [header["value"] ?? null] : []
  })

export interface Delta {
  readonly seq: number
  readonly bytes: Buffer
  readonly done: boolean
  readonly error: Json
  /** Position among the messages of the connection. */
  readonly index: number
  readonly length: number
}

/** The frames of a streamed body so far. */
export const deltas = (wire: Wire, requestId: Json | undefined): ReadonlyArray<Delta> =>
  wire.inbox.messages.flatMap(({ json, index, text }) => {
    if (!isObject(json) || json["method"] !== "http/request/bodyDelta") return []
    const {
      requestId: id,
      seq,
      deltaBase64,
      done,
      error = "missing",
    } = Check.object(json["params"], "params")
    if (id !== requestId) return []
    const bytes = Buffer.from(Check.text(deltaBase64, "deltaBase64"), "base64")
    const whole = { seq: Check.integer(seq, "seq"), done: Check.flag(done, "done"), error }
    return [{ ...whole, bytes, index, length: Buffer.byteLength(text) }]
  })

export const streamed = (wire: Wire, requestId: Json | undefined): Promise<ReadonlyArray<Delta>> =>
  wire.inbox.wait("the last http/request/bodyDelta", wire.timeoutMs, () => {
    const all = deltas(wire, requestId)
    return all.some(({ done }) => done) ? all : undefined
  })
