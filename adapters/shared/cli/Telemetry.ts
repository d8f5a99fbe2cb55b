/** Traces over OTLP/HTTP, if the environment names a collector; the exporter is loaded only then. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const help = `\
Traces of requests and processes go to OTEL_EXPORTER_OTLP_ENDPOINT (OTLP/HTTP, JSON) if that is set; further variables:
OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES.
`

export const layer: Layer.Layer<never> = Layer.unwrap(
  Effect.suspend(() => {
    const endpoint = process.env["OTEL_EXPORTER_OTLP_ENDPOINT"]
    if (!endpoint) return Effect.succeed(Layer.empty)
    return Effect.map(
      Effect.promise(() => import("./Otlp.ts")),
      (otlp) => otlp.layer(endpoint),
    )
  }),
)
