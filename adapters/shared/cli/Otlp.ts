/**
 * The exporter of traces: that of Effect, OTLP as JSON over `fetch`, which every runtime has.
 *
 * An unreachable collector costs traces and nothing else: sending a batch has a deadline, and so has the rest at
 * the end.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { version } from "../Version.ts"

/** The deadline of one batch, and of the rest at the end: the default of OTEL_EXPORTER_OTLP_TIMEOUT. */
const batchTimeout = "10 seconds"

/** Exports to the path `/v1/traces` below `endpoint`. */
export const layer = (endpoint: string): Layer.Layer<never> =>
  OtlpTracer.layer({
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    resource: { serviceName: process.env["OTEL_SERVICE_NAME"] || "procwire", serviceVersion: version },
    headers: headers(process.env["OTEL_EXPORTER_OTLP_HEADERS"] ?? ""),
    exportInterval: "1 second",
    shutdownTimeout: batchTimeout,
  }).pipe(Layer.provide([OtlpSerialization.layerJson, Layer.provide(layerBounded, FetchHttpClient.layer)]))

const layerBounded = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transform((effect, request) =>
      Effect.timeoutOrElse(effect, {
        duration: batchTimeout,
        orElse: () => Effect.fail(timedOut(request)),
      }),
    ),
  ),
)

const timedOut = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, description: `no answer in ${batchTimeout}` }),
  })

/** Reads `name=value,name=value` with percent-encoded values. */
const headers = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=")
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]]
    }),
  )
