/** Tests ExecServer.ts: clients that read slowly, or not at all. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import { type Client, handshake, ready, start } from "./testing/Client.ts"
import type * as Fake from "../spawn/Fake.ts"

/** Prints until the child is paused, as a child that blocks on a full pipe; returns how many chunks it printed. */
const flood = (child: Fake.FakeChild, chunks: number) =>
  Effect.gen(function* () {
    let printed = 0
    while (printed < chunks && !child.paused) {
      child.output("stdout", new Uint8Array(64 * 1024).fill(printed))
      printed += 1
      if (printed % 16 === 0) yield* Effect.yieldNow
    }
    return printed
  })

const startFlood = (server: { readonly client: Client; readonly fake: Fake.Fake }, id: string) =>
  Effect.gen(function* () {
    yield* server.client.ask("process/start", start(id))
    return yield* server.fake.next
  })

describe("ExecServer back-pressure", () => {
  // guards: back-pressure
  it(
    "invariant 4: while a client is attached nothing is lost, and the child is paused instead",
    effect(function* () {
      const server = yield* ready()
      const child = yield* startFlood(server, "p")
      let printed = yield* flood(child, 1_000_000)
      expect(printed).toBeLessThan(200)
      const seqs: Array<number | undefined> = []
      while (printed < 300) {
        for (const { params } of yield* server.client.received) seqs.push(params?.seq)
        printed += yield* flood(child, 300 - printed)
      }
      child.finish()
      for (const { params } of yield* server.client.received) seqs.push(params?.seq)
      expect(seqs).toEqual(Array.from({ length: 302 }, (_, index) => index + 1))
    }),
  )

  // guards: back-pressure
  it(
    "invariant 4: when nobody is attached the ring evicts and the child never blocks",
    effect(function* () {
      const server = yield* ready()
      const child = yield* startFlood(server, "p")
      yield* flood(child, 1_000_000)
      expect(child.paused).toBe(true)
      yield* server.client.transport.close
      yield* settle
      expect(child.paused).toBe(false)
      expect(yield* flood(child, 300)).toBe(300)
      const next = yield* server.connect
      yield* handshake(next, server.sessionId)
      expect((yield* next.ask("process/read", { processId: "p" })).result?.chunks?.length).toBe(16)
    }),
  )

  it(
    "does not slow other connections down when one is slow",
    effect(function* () {
      const server = yield* ready()
      const slow = yield* startFlood(server, "p")
      const client = yield* server.connect
      yield* handshake(client)
      const quick = yield* startFlood({ client, fake: server.fake }, "p")
      yield* flood(slow, 1_000_000)
      expect(slow.paused).toBe(true)
      let received = 0
      for (let round = 0; round < 10; round++) {
        expect(yield* flood(quick, 32)).toBe(32)
        received += (yield* client.received).length
      }
      expect(received).toBe(320)
      expect(yield* client.ask("environment/status")).toMatchObject({ result: { status: "ready" } })
    }),
  )

  it(
    "takes turns between the processes of one connection",
    effect(function* () {
      const server = yield* ready()
      const [a, b] = [yield* startFlood(server, "a"), yield* startFlood(server, "b")]
      yield* flood(a, 1_000_000)
      yield* flood(b, 1_000_000)
      const order = (yield* server.client.received).map(({ params }) => params?.processId)
      const turn = order.indexOf("b")
      expect(turn).toBeGreaterThan(0)
      expect(order.slice(turn, turn + 6)).toEqual(["b", "a", "b", "a", "b", "a"].slice(0, 6))
    }),
  )
})
