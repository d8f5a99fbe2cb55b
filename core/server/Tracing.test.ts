import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import { describe, expect, it } from "vitest"
import * as ExecClient from "../client/ExecClient.ts"
import * as TestServer from "../client/testing/TestServer.ts"
import * as Trace from "../protocol/Trace.ts"
import { effect, settle } from "../testing/Effects.ts"
import { ready, start } from "./testing/Client.ts"

const traceId = "0af7651916cd43dd8448eb211c80319c"
const spanId = "b7ad6b7169203331"
const traceparent = `00-${traceId}-${spanId}-01`

interface Ended {
  readonly name: string
  readonly span: Tracer.Span
}

/** A tracer that keeps every span that has ended. */
const recorder = () => {
  const ended: Array<Ended> = []
  let count = 0
  const hex = (length: number) => (count += 1).toString(16).padStart(length, "0")
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const attributes = new Map<string, unknown>()
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        spanId: hex(16),
        traceId: parent._tag === "Some" ? parent.value.traceId : hex(32),
        parent,
        context,
        status: { _tag: "Started", startTime },
        attributes,
        links,
        sampled: true,
        kind,
        end: () => void ended.push({ name, span }),
        attribute: (key, value) => void attributes.set(key, value),
        event: () => {},
        addLinks: () => {},
      }
      return span
    },
    context: (f) => f(),
  })
  return { ended, layer: Layer.setTracer(tracer) }
}

const attributesOf = (ended: ReadonlyArray<Ended>, name: string) =>
  Object.fromEntries(ended.find((one) => one.name === name)?.span.attributes ?? [])
const parentOf = (ended: ReadonlyArray<Ended>, name: string) => {
  const parent = ended.find((one) => one.name === name)?.span.parent
  return parent?._tag === "Some" ? parent.value : undefined
}

describe("Tracing", () => {
  it("makes a span of every request, below the one that the envelope names, and of every process", () => {
    const { ended, layer } = recorder()
    return effect(function* () {
      const { client, fake, sessionId } = yield* Effect.provide(ready(), layer)
      client.send({ id: 1, method: "process/start", params: start("p"), trace: { traceparent } })
      yield* settle
      const child = yield* fake.next
      child.output("stdout", "secret")
      expect(ended.map(({ name }) => name)).toEqual(["initialize", "process/start"])
      child.finish(3)
      expect(ended.map(({ name }) => name)).toEqual(["initialize", "process/start", "process"])
      expect(parentOf(ended, "initialize")).toBeUndefined()
      expect(parentOf(ended, "process/start")).toMatchObject({ traceId, spanId, _tag: "ExternalSpan" })
      expect(parentOf(ended, "process")).toBe(ended[1]?.span)
      expect(attributesOf(ended, "initialize")).toMatchObject({ "session.id": sessionId })
      expect(attributesOf(ended, "process/start")).toEqual({
        "rpc.system": "jsonrpc",
        "rpc.method": "process/start",
        "session.id": sessionId,
        "process.id": "p",
      })
      expect(attributesOf(ended, "process")).toEqual({
        "session.id": sessionId,
        "process.id": "p",
        "process.executable.name": "a",
        "process.exit.code": 3,
        "process.output.bytes": 6,
      })
    })()
  })

  it("ends the span of a start that fails, and takes no name from a stranger", () => {
    const { ended, layer } = recorder()
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

  it("makes no span of what its caller does not sample, and none without a tracer", () => {
    const { ended, layer } = recorder()
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

  it("leads from the span in which a client of ours calls to the server's", () => {
    const { ended, layer } = recorder()
    return effect(function* () {
      const server = yield* Effect.provide(TestServer.make(), layer)
      const client = yield* ExecClient.make(yield* Effect.provide(server.connect, layer))
      yield* Effect.provide(Effect.withSpan(client.start({ argv: ["x"] }), "work"), layer)
      const work = ended.find(({ name }) => name === "work")?.span
      expect(work).toBeDefined()
      const { traceId, spanId } = parentOf(ended, "process/start") ?? {}
      expect({ traceId, spanId }).toEqual({ traceId: work?.traceId, spanId: work?.spanId })
      expect(parentOf(ended, "initialize")).toBeUndefined()
    })()
  })
})

describe("Trace", () => {
  it.each([
    [
      { traceparent, tracestate: "a=b" },
      { traceId, spanId, sampled: true },
    ],
    [{ traceparent: `00-${traceId}-${spanId}-02` }, { traceId, spanId, sampled: false }],
    [{ traceparent: `cc-${traceId}-${spanId}-01-more` }, { traceId, spanId, sampled: true }],
    [{ traceparent: `${traceparent}-more` }, undefined],
    [{ traceparent: `ff-${traceId}-${spanId}-01` }, undefined],
    [{ traceparent: `00-${"0".repeat(32)}-${spanId}-01` }, undefined],
    [{ traceparent: `00-${traceId}-${"0".repeat(16)}-01` }, undefined],
    [{ traceparent: traceparent.toUpperCase() }, undefined],
    [{ traceparent: 5 }, undefined],
    [{ traceparent: null }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("reads %j", (trace, parent) => expect(Trace.toParent(trace)).toEqual(parent))

  it("writes what it reads", () => {
    for (const sampled of [true, false]) {
      const parent = { traceId, spanId, sampled }
      expect(Trace.toParent(Trace.fromSpan(parent) as never)).toEqual(parent)
    }
  })
})
