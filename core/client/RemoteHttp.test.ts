import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type * as RemoteHttp from "./RemoteHttp.ts"
import { describe, expect, it } from "vitest"
import * as FakeHttp from "../http/Fake.ts"
import type { Request } from "../http/HttpClient.ts"
import { utf8 } from "../protocol/Bytes.ts"
import { effect, settle } from "../testing/Effects.ts"
import { toClientHttp } from "./ClientHttp.ts"
import * as ExecClient from "./ExecClient.ts"
import * as ScriptedPeer from "../testing/ScriptedPeer.ts"
import * as TestServer from "../testing/TestServer.ts"

const connected = (answer: FakeHttp.Answer) =>
  Effect.gen(function* () {
    const { connect } = yield* TestServer.make({}, { answer })
    return yield* ExecClient.make(yield* connect)
  })

/** A client whose server is the test. */
const scripted = Effect.gen(function* () {
  const peer = yield* ScriptedPeer.make
  const [client] = yield* Effect.all([ExecClient.make(peer.transport), peer.handshake], { concurrency: 2 })
  const frame = (requestId: string, seq: number, text: string, more: object = {}) =>
    peer.notify("http/request/bodyDelta", {
      requestId,
      seq,
      deltaBase64: btoa(text),
      done: false,
      error: null,
      ...more,
    })
  /** A stream whose head is there, and its id. */
  const streaming = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const starting = yield* Effect.forkChild(
      Scope.provide(client.http.stream({ url: "http://a.example/" }), scope),
    )
    const { id, params } = yield* peer.request("http/request")
    peer.reply(id, { status: 200, headers: [], bodyBase64: "" })
    const response = yield* Fiber.join(starting)
    return { response, id: (params as { readonly requestId: string }).requestId, scope }
  })
  return { peer, client, frame, streaming }
})

const all = ({ body }: { readonly body: Stream.Stream<Uint8Array, unknown> }) =>
  Stream.mkString(Stream.decodeText(body))

describe("client.http", () => {
  it(
    "asks for what it was told to, and gives the answer as bytes, text and JSON",
    effect(function* () {
      const seen: Array<Request> = []
      const { http } = yield* connected((request) => {
        seen.push(request)
        return Effect.succeed(
          FakeHttp.response(404, { "x-a": "b" }, [utf8.encode('{"ä"'), utf8.encode(":1}")]),
        )
      })
      const url = "http://a.example/"
      const response = yield* http.request({ url, method: "PUT", headers: { One: "1" }, body: "ä" })
      expect([response.status, response.header("X-A"), response.text()]).toEqual([404, "b", '{"ä":1}'])
      expect(response.json()).toEqual({ ä: 1 })
      expect(seen[0]?.method).toBe("PUT")
      expect(seen[0]?.headers[0]).toEqual({ name: "one", value: "1" })
      expect(seen[0]?.body).toEqual(utf8.encode("ä"))
      yield* http.request({ url, method: "DELETE", body: null })
      expect(seen[1]?.body).toEqual(new Uint8Array())
      const stream = yield* http.stream({ url, headers: [{ name: "b", value: "2" }] })
      expect(yield* all(stream)).toBe('{"ä":1}')
    }),
  )

  it(
    "takes headers in every form that fetch takes, and refuses the rest by name",
    effect(function* () {
      const seen: Array<Request> = []
      const { http } = yield* connected((request) => {
        seen.push(request)
        return Effect.succeed(FakeHttp.response(200, {}, []))
      })
      const url = "http://a.example/"
      const one = { authorization: "Bearer x" }
      const forms = [
        one,
        new Headers(one),
        new Map(Object.entries(one)),
        Object.entries(one),
        [{ name: "authorization", value: "Bearer x" }],
      ]
      for (const headers of forms as ReadonlyArray<RemoteHttp.HttpHeaders>) {
        yield* http.request({ url, headers })
        expect(seen.pop()?.headers[0]).toEqual({ name: "authorization", value: "Bearer x" })
      }
      yield* http.stream({
        url,
        headers: new Headers([
          ["a", "1"],
          ["b", "2"],
        ]),
      })
      expect(seen.pop()?.headers.slice(0, 2)).toEqual([
        { name: "a", value: "1" },
        { name: "b", value: "2" },
      ])
      for (const [headers, place] of [
        ["authorization: x", "headers must be"],
        [new Date(0), "headers must be"],
        [{ a: undefined }, "headers.a must be a string"],
        [{ a: ["b"] }, "headers.a must be a string"],
        [new Set(["a"]), "headers[0] must be a pair"],
        [[["a"]], "headers[0] must be a pair"],
        [[[1, "a"]], "the name of headers[0]"],
        [new Map([["a", null]]), "headers.a must be a string"],
      ] as const) {
        const error = yield* Effect.flip(http.request({ url, headers: headers as never }))
        expect(error).toMatchObject({ reason: "InvalidOption", message: expect.stringContaining(place) })
      }
      expect(seen).toEqual([])
    }),
  )

  it(
    "takes frames that come before anybody reads, and bytes in the last one",
    effect(function* () {
      const { frame, streaming } = yield* scripted
      const { response, id } = yield* streaming
      frame("of-nobody", 7, "x")
      frame(id, 1, "a")
      frame(id, 2, "b", { done: true })
      frame(id, 3, "ignored")
      yield* settle
      expect(yield* all(response)).toBe("ab")
    }),
  )

  it(
    "ends a body whose frames are out of order, or that broke off, behind what came of it",
    effect(function* () {
      const { frame, streaming } = yield* scripted
      const one = yield* streaming
      frame(one.id, 1, "a")
      frame(one.id, 3, "b")
      const pieces = yield* one.response.next
      expect(pieces?.length).toBe(1)
      expect(yield* Effect.flip(one.response.next)).toMatchObject({ reason: "Protocol" })
      const two = yield* streaming
      frame(two.id, 1, "", { done: true, error: "error decoding response body" })
      const broken = { reason: "BodyBroken", message: "error decoding response body" }
      expect(yield* Effect.flip(all(two.response))).toMatchObject(broken)
    }),
  )

  it(
    "lets go of a body with its scope, so that nothing of it holds the connection",
    effect(function* () {
      const { client, peer, frame, streaming } = yield* scripted
      const { id, scope } = yield* streaming
      frame(id, 1, "x".repeat(1024 * 1024 + 1))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      frame(id, 2, "x")
      const asking = yield* Effect.forkChild(client.call("environment/status", {}))
      const { id: asked } = yield* peer.request("environment/status")
      peer.reply(asked, { status: "ready" })
      expect(yield* Fiber.join(asking)).toEqual({ status: "ready" })
    }),
  )

  it(
    "fails open bodies as soon as the connection is lost",
    effect(function* () {
      const { peer, streaming } = yield* scripted
      const { response } = yield* streaming
      const reading = yield* Effect.forkChild(Effect.flip(all(response)))
      yield* settle
      yield* peer.close
      expect(yield* Fiber.join(reading)).toMatchObject({ reason: "Disconnected" })
    }),
  )

  it(
    "is an async iterable of bytes or texts for programs without Effect, which may leave it",
    effect(function* () {
      const pieces = ["a", "ä", "b"].map((text) => utf8.encode(text))
      const client = yield* connected(() => Effect.succeed(FakeHttp.response(200, {}, pieces)))
      const http = toClientHttp(client.http)
      const options = { url: "http://a.example/" }
      const text = yield* Effect.promise(async () => {
        for await (const _ of await http.stream(options)) break
        const found: Array<string> = []
        for await (const piece of (await http.stream(options)).text()) found.push(piece)
        await (await http.stream(options)).close()
        return found.join("")
      })
      expect(text).toBe("aäb")
      expect((yield* Effect.promise(() => http.request(options))).text()).toBe("aäb")
    }),
  )

  it(
    "refuses what a server asks: it has no say in a network policy, and nothing is allowed",
    effect(function* () {
      const { peer } = yield* scripted
      const request = { protocol: "http", host: "example.invalid", port: 80 }
      peer.send(
        JSON.stringify({ id: 1, method: "network/policyRequest", params: { processId: "p", request } }),
      )
      expect(yield* peer.take).toMatchObject({
        kind: "response",
        id: 1,
        result: { decision: { type: "deny" } },
      })
      peer.send(JSON.stringify({ id: 2, method: "other/request", params: {} }))
      expect(yield* peer.take).toMatchObject({ kind: "error", id: 2, code: -32601 })
    }),
  )
})
