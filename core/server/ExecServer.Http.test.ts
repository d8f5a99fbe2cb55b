/** Tests ExecServer.ts: `http/request`, whole and streamed. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as FakeHttp from "../http/Fake.ts"
import { HttpError } from "../http/HttpClient.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import { error, ready } from "./testing/Client.ts"

const ask = { method: "GET", url: "http://a.example/", requestId: "r" }
const stream = { ...ask, streamResponse: true }

interface Frame {
  readonly method?: string
  readonly params?: {
    readonly requestId?: string
    readonly seq?: number
    readonly done?: boolean
    readonly error?: unknown
  }
}

describe("http/request", () => {
  it(
    "answers first, then sends frames from 1, and an empty last one",
    effect(function* () {
      const pieces = [Uint8Array.of(1), new Uint8Array(1024 * 1024 + 1)]
      const answer = () => Effect.succeed(FakeHttp.response(200, { a: "b" }, pieces))
      const { client } = yield* ready({}, { answer })
      client.send({ id: 1, method: "http/request", params: stream })
      const [head, ...frames] = (yield* client.received) as ReadonlyArray<Frame>
      expect(head).toEqual({
        id: 1,
        result: { status: 200, headers: [{ name: "a", value: "b" }], bodyBase64: "" },
      })
      expect(frames.map(({ params }) => [params?.seq, params?.done, params?.error])).toEqual([
        [1, false, null],
        [2, false, null],
        [3, false, null],
        [4, true, null],
      ])
    }),
  )

  it(
    "reads a body no faster than the client takes it, and loses none of it",
    effect(function* () {
      let read = 0
      const piece = new Uint8Array(256 * 1024)
      const answer = () => {
        let left = 80
        return Effect.succeed({
          ...FakeHttp.response(200),
          read: Effect.sync(() => (left-- > 0 ? ((read += 1), piece) : undefined)),
        })
      }
      const { client } = yield* ready({}, { answer })
      const ids = ["a", "b"]
      for (const requestId of ids) {
        client.send({ id: requestId, method: "http/request", params: { ...stream, requestId } })
      }
      yield* settle
      yield* settle
      const before = read
      yield* settle
      expect(read).toBe(before)
      expect(before).toBeLessThan(80)
      const frames: Array<Frame> = []
      while (frames.filter(({ params }) => params?.done).length < ids.length) {
        frames.push(...((yield* client.received) as ReadonlyArray<Frame>))
      }
      for (const id of ids) {
        const seqs = frames.flatMap(({ params }) => (params?.requestId === id ? [params.seq] : []))
        expect(seqs).toEqual(Array.from({ length: 81 }, (_, index) => index + 1))
      }
    }),
  )

  it(
    "ends exchanges with the connection",
    effect(function* () {
      let open = 0
      const answer = () =>
        Effect.as(
          Effect.acquireRelease(
            Effect.sync(() => (open += 1)),
            () => Effect.sync(() => (open -= 1)),
          ),
          { status: 200, headers: [], read: Effect.never },
        )
      const { client } = yield* ready({}, { answer })
      client.send(
        { id: 1, method: "http/request", params: stream },
        { id: 2, method: "http/request", params: ask },
      )
      yield* settle
      expect(open).toBe(2)
      yield* client.transport.close
      yield* settle
      expect(open).toBe(0)
    }),
  )

  it(
    "bounds the exchange and its body by timeoutMs, with the error texts of the peer",
    effect(function* () {
      const never = yield* Deferred.make<never>()
      const stalled = { status: 200, headers: [], read: Deferred.await(never) }
      const { client } = yield* ready(
        {},
        {
          answer: ({ url }) => (url.endsWith("head") ? Effect.never : Effect.succeed(stalled)),
        },
      )
      const failing = (id: string, params: object) =>
        Effect.gen(function* () {
          client.send({ id, method: "http/request", params: { ...ask, timeoutMs: 50, ...params } })
          yield* settle
          yield* pass(50)
          return yield* client.received
        })
      const text = "http/request failed: error sending request for url (http://a.example/head)"
      expect(yield* failing("1", { url: "http://a.example/head" })).toMatchObject([error(-32603, text)])
      const broken = "failed to read http/request response body: error decoding response body"
      expect(yield* failing("2", {})).toMatchObject([error(-32603, broken)])
      expect(yield* failing("3", { streamResponse: true })).toMatchObject([
        { id: "3" },
        { params: { seq: 1, done: true, error: "error decoding response body" } },
      ])
      const zero = "http/request failed: route-aware request timed out"
      expect(yield* failing("4", { timeoutMs: 0, url: "http://a.example/head" })).toMatchObject([
        error(-32603, zero),
      ])
    }),
  )

  it(
    "refuses a body that is too long, one stream too many and an id in use, and frees the id of a failed one",
    effect(function* () {
      const answer = ({ url }: { readonly url: string }) =>
        url.endsWith("gone")
          ? Effect.fail(new HttpError({ reason: "Send", message: "gone", url }))
          : Effect.succeed({
              ...FakeHttp.response(200, {}, [new Uint8Array(11)]),
              ...(url.endsWith("open") ? { read: Effect.never } : {}),
            })
      const { client } = yield* ready({}, { answer, limits: { httpBodyBytes: 10, httpStreams: 2 } })
      const long = "the response body is too long: limit is 10 bytes (--max-http-body-bytes)"
      expect(yield* client.ask("http/request", ask)).toMatchObject(error(-32600, long))
      const open = (requestId: string, path = "open") =>
        client.ask("http/request", { ...stream, url: `http://a.example/${path}`, requestId })
      expect(yield* open("a")).toMatchObject({ result: {} })
      const taken = "http/request streamResponse requestId `a` is already active"
      expect(yield* open("a")).toMatchObject(error(-32602, taken))
      expect(yield* open("b", "gone")).toMatchObject({ error: { code: -32603 } })
      expect(yield* open("b")).toMatchObject({ result: {} })
      const many = "too many streamed responses: limit is 2 (--max-http-streams)"
      expect(yield* open("c")).toMatchObject(error(-32600, many))
    }),
  )
})
