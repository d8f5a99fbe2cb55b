/** Tests ExecServer.ts: `request/cancel`. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import { type Client, error, handshake, make, ready, start } from "./testing/Client.ts"

const cancel = (id: unknown) => ({ method: "request/cancel", params: { id } })
const poll = (id: unknown, processId = "p") => ({
  id,
  method: "process/read",
  params: { processId, afterSeq: 0, waitMs: 600_000 },
})
const wasCancelled = error(-32800, "request was cancelled")

/** A connection whose process `p` is silent. */
const silent = (...options: Parameters<typeof ready>) =>
  Effect.gen(function* () {
    const server = yield* ready(...options)
    yield* server.client.ask("process/start", start("p"))
    return { ...server, child: yield* server.fake.next }
  })

const alive = (client: Client) =>
  Effect.map(client.ask("environment/status"), ({ result }) => expect(result).toEqual({ status: "ready" }))

describe("request/cancel", () => {
  it(
    "is announced, and ends a long poll with an answer of its own",
    effect(function* () {
      const { connect, client, child } = yield* silent()
      const { result } = yield* (yield* connect).ask("initialize", { clientName: "x" })
      expect(result).toMatchObject({ environmentInfo: { capabilities: { requestCancel: true } } })
      const ids = [1, "1", -7, 2n ** 60n]
      const text = (id: unknown) => (typeof id === "bigint" ? String(id) : JSON.stringify(id))
      for (const id of ids)
        client.transport.write(JSON.stringify(poll(0)).replace('"id":0', () => `"id":${text(id)}`))
      expect(yield* client.received).toEqual([])
      for (const id of ids) {
        client.transport.write(`{"method":"request/cancel","params":{"id":${text(id)}}}`)
        expect(yield* client.received).toMatchObject([
          { ...wasCancelled, id: typeof id === "bigint" ? Number(id) : id },
        ])
      }
      child.output("stdout", "late")
      expect((yield* client.received).map(({ method }) => method)).toEqual(["process/output"])
      const read = yield* client.ask("process/read", { processId: "p", afterSeq: 0 })
      expect(read.result?.chunks).toHaveLength(1)
    }),
  )

  it(
    "gives the slots of cancelled polls to the requests that wait for one",
    effect(function* () {
      const { client } = yield* silent({}, { limits: { concurrentRequests: 3 } })
      client.send(poll(1), poll(2), poll(3), poll(4), { ...poll(5), params: { processId: "p" } })
      expect(yield* client.received).toEqual([])
      client.send(cancel(4), cancel(2))
      const answers = yield* client.received
      expect(answers.map(({ id }) => id)).toEqual([4, 2, 5])
      expect(answers.slice(0, 2)).toMatchObject([wasCancelled, wasCancelled])
      client.send(cancel(1), cancel(3))
      expect((yield* client.received).map(({ id }) => id)).toEqual([1, 3])
    }),
  )

  it(
    "ignores ids that are unknown, answered or of other connections, and params that name none",
    effect(function* () {
      const { connect, client, child } = yield* silent()
      const other = yield* connect
      yield* handshake(other)
      client.send(poll(1))
      yield* settle
      other.send(cancel(1))
      yield* alive(other)
      client.send(cancel(2), cancel("1"), cancel(null), cancel(1.5), cancel([1]), poll(2))
      client.send({ method: "request/cancel" }, { method: "request/cancel", params: [] })
      yield* alive(client)
      child.output("stdout", "x")
      expect((yield* client.received).map(({ id, method }) => id ?? method).sort()).toEqual([
        1,
        2,
        "process/output",
      ])
      client.send(cancel(1), cancel(2))
      yield* alive(client)
    }),
  )

  it(
    "leaves alone what could be half done: a start",
    effect(function* () {
      const gate = yield* Deferred.make<void>()
      const { client, fake } = yield* ready({ beforeSpawn: () => Deferred.await(gate) })
      client.send({ id: 1, method: "process/start", params: start("p") }, cancel(1))
      yield* settle
      yield* Deferred.succeed(gate, undefined)
      expect(yield* client.received).toMatchObject([{ id: 1, result: { processId: "p" } }])
      expect(fake.children).toHaveLength(1)
    }),
  )

  it(
    "ends the exchange of an http/request, and frees the id of its stream",
    effect(function* () {
      let ended = 0
      const answer = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => (ended += 1)))
      const { client } = yield* ready({}, { answer })
      for (const streamResponse of [false, true, true]) {
        const params = { method: "GET", url: "http://a.example/", requestId: "r", streamResponse }
        client.send({ id: 1, method: "http/request", params })
        expect(yield* client.received).toEqual([])
        client.send(cancel(1))
        expect(yield* client.received).toMatchObject([wasCancelled])
      }
      expect(ended).toBe(3)
    }),
  )

  it(
    "means nothing before the session, does not stand for initialized, and is not in v0",
    effect(function* () {
      const { connect } = yield* make()
      const early = yield* connect
      early.send(cancel(1))
      expect(yield* early.ended).toBe(true)
      const half = yield* connect
      yield* half.ask("initialize", { clientName: "x" })
      half.send(cancel(1))
      expect(yield* half.ask("process/read", { processId: "p" })).toMatchObject(
        error(-32600, "client must send initialized before using exec methods"),
      )
      const v0 = yield* (yield* make({}, { dialect: "v0" })).connect
      v0.send(cancel(1))
      expect(yield* v0.received).toMatchObject([
        { id: -1, ...error(-32600, "unexpected notification method: request/cancel") },
      ])
    }),
  )

  it(
    "does not reach a request of the same id on the connection before",
    effect(function* () {
      const { connect, client, child, sessionId } = yield* silent()
      client.send(poll(1))
      yield* settle
      yield* client.transport.close
      yield* settle
      const again = yield* connect
      yield* handshake(again, sessionId)
      again.send(cancel(1), poll(1))
      expect(yield* again.received).toEqual([])
      child.output("stdout", "x")
      expect((yield* again.received).map(({ id, method }) => id ?? method)).toEqual(["process/output", 1])
    }),
  )
})
