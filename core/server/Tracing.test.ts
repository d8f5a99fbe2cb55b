import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import * as SpanRecorder from "../testing/SpanRecorder.ts"
import { ready, start } from "./testing/Client.ts"

const traceId = "0af7651916cd43dd8448eb211c80319c"
const spanId = "b7ad6b7169203331"
const traceparent = `00-${traceId}-${spanId}-01`

describe("Tracing", () => {
  it("makes a span of every request, as a child of the one in the envelope, and of every process", () => {
    const { ended, layer } = SpanRecorder.make()
    return effect(function* () {
      const { client, fake, sessionId } = yield* Effect.provide(ready(), layer)
      client.send({ id: 1, method: "process/start", params: start("p"), trace: { traceparent } })
      yield* settle
      const child = yield* fake.next
      child.output("stdout", "secret")
      expect(ended.map(({ name }) => name)).toEqual(["initialize", "process/start"])
      child.finish(3)
      expect(ended.map(({ name }) => name)).toEqual(["initialize", "process/start", "process"])
      expect(SpanRecorder.parentOf(ended, "initialize")).toBeUndefined()
      expect(SpanRecorder.parentOf(ended, "process/start")).toMatchObject({
        traceId,
        spanId,
        _tag: "ExternalSpan",
      })
      expect(SpanRecorder.parentOf(ended, "process")).toBe(ended[1]?.span)
      expect(SpanRecorder.attributesOf(ended, "initialize")).toMatchObject({ "session.id": sessionId })
      expect(SpanRecorder.attributesOf(ended, "process/start")).toEqual({
        "rpc.system": "jsonrpc",
        "rpc.method": "process/start",
        "session.id": sessionId,
        "process.id": "p",
      })
      expect(SpanRecorder.attributesOf(ended, "process")).toEqual({
        "session.id": sessionId,
        "process.id": "p",
        "process.executable.name": "a",
        "process.exit.code": 3,
        "process.output.bytes": 6,
      })
    })()
  })

  it("ends the span of a start that fails, and has no name for an unknown method", () => {
    const { ended, layer } = SpanRecorder.make()
    return effect(function* () {
      const { client } = yield* Effect.provide(ready({}, { limits: { processes: 1 } }), layer)
      for (const id of ["a", "b"]) yield* client.ask("process/start", start(id))
      yield* client.ask("x".repeat(1000))
      expect(ended.map(({ name }) => name)).toEqual([
        "initialize",
        "process/start",
        "process",
        "process/start",
        "unknown method",
      ])
    })()
  })

  it("makes no span of a request that is not sampled, and none without a tracer", () => {
    const { ended, layer } = SpanRecorder.make()
    return effect(function* () {
      const { client } = yield* Effect.provide(ready(), layer)
      const trace = { traceparent: traceparent.replace(/01$/, "00") }
      client.send({ id: 1, method: "process/start", params: start("p"), trace })
      expect((yield* client.received).length).toBe(1)
      expect(ended.map(({ name }) => name)).toEqual(["initialize"])
      const untraced = yield* ready()
      yield* Effect.provide(untraced.client.ask("process/start", start("p")), layer)
      expect(ended.map(({ name }) => name)).toEqual(["initialize"])
    })()
  })
})
