/** Tests that a trace leads from a client (`rpc/Connection`) to the spans of the server (`server/Tracing`). */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as ExecClient from "../client/ExecClient.ts"
import * as TestServer from "../testing/TestServer.ts"
import { effect } from "../testing/Effects.ts"
import * as SpanRecorder from "../testing/SpanRecorder.ts"

describe("Tracing", () => {
  it("makes the span of the server a child of the span in which the client calls", () => {
    const { ended, layer } = SpanRecorder.make()
    return effect(function* () {
      const server = yield* Effect.provide(TestServer.make(), layer)
      const client = yield* ExecClient.make(yield* Effect.provide(server.connect, layer))
      yield* Effect.provide(Effect.withSpan(client.start({ argv: ["x"] }), "work"), layer)
      const work = ended.find(({ name }) => name === "work")?.span
      expect(work).toBeDefined()
      const { traceId, spanId } = SpanRecorder.parentOf(ended, "process/start") ?? {}
      expect({ traceId, spanId }).toEqual({ traceId: work?.traceId, spanId: work?.spanId })
      expect(SpanRecorder.parentOf(ended, "initialize")).toBeUndefined()
    })()
  })
})
