/** Two WebSockets as one, as a router of a fleet has them: their bytes are passed on as they are. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { describe, expect, it } from "vitest"
import * as Splice from "../../../core/fleet/Splice.ts"
import type { Transport } from "../../../core/transport/Transport.ts"
import * as WebSocketClient from "./WebSocketClient.ts"
import * as WebSocketListener from "./WebSocketListener.ts"

/** Two clients of a listener that makes their connections one as soon as `begin` is done. */
const spliced = (begin: Effect.Effect<unknown> = Effect.void, maxMessageBytes = 1_000_000) =>
  Effect.gen(function* () {
    const met = yield* Deferred.make<Transport>()
    const over = yield* Deferred.make<void>()
    let first = true
    const listener = yield* WebSocketListener.make({
      host: "127.0.0.1",
      port: 0,
      terms: { whole: true, maxMessageBytes },
    })
    yield* Effect.forkScoped(
      listener.run((transport) => {
        if (!first) return Effect.andThen(Deferred.succeed(met, transport), Deferred.await(over))
        first = false
        return Deferred.await(met).pipe(
          Effect.tap(() => begin),
          Effect.flatMap((other) => Splice.splice(transport, other, () => {})),
          Effect.ensuring(Deferred.succeed(over, undefined)),
        )
      }),
    )
    const one = yield* WebSocketClient.connect(listener.address)
    const other = yield* WebSocketClient.connect(listener.address, { plain: true })
    return [one, other] as const
  })

const text = (n: number) => `${n} ${"é".repeat(n % 7 === 0 ? 40_000 : n % 5)}`

describe("a splice of WebSockets", () => {
  it("passes messages on in order both ways, also those that came before it", () =>
    Effect.gen(function* () {
      const begin = yield* Deferred.make<void>()
      const [one, other] = yield* spliced(Deferred.await(begin))
      const wanted = Array.from({ length: 600 }, (_, n) => text(n))
      for (const from of [one, other]) for (const message of wanted.slice(0, 20)) from.write(message)
      yield* Effect.sleep(50)
      yield* Deferred.succeed(begin, undefined)
      for (const from of [one, other])
        for (const [n, message] of wanted.slice(20).entries())
          from.write(n % 2 === 0 ? message : new TextEncoder().encode(message))
      for (const to of [one, other]) {
        const got: Array<string> = []
        while (got.length < wanted.length) got.push(yield* to.incoming.take)
        expect(got).toEqual(wanted)
      }
    }).pipe(Effect.scoped, Effect.runPromise))

  it("slows down who sends to a slow reader, and loses nothing", () =>
    Effect.gen(function* () {
      const [one, other] = yield* spliced()
      const message = "x".repeat(900_000)
      const room = yield* Latch.make(true)
      one.onDrain(() => room.openUnsafe())
      let sent = 0
      const sending = Effect.gen(function* () {
        for (; sent < 100; sent++) {
          yield* room.await
          if (!one.write(`${sent} ${message}`)) room.closeUnsafe()
        }
      })
      yield* Effect.forkScoped(sending)
      // Queues and sockets are filled until nothing moves any more.
      for (let before = -1; before !== sent;) {
        before = sent
        yield* Effect.sleep(300)
      }
      expect(sent).toBeLessThan(70)
      for (let n = 0; n < 100; n++) expect((yield* other.incoming.take).split(" ")[0]).toBe(String(n))
    }).pipe(Effect.scoped, Effect.runPromise))

  it("passes on what came before an end, and ends for a message over the limit", () =>
    Effect.gen(function* () {
      const [one, other] = yield* spliced(undefined, 100_000)
      one.write("last words")
      one.write("x".repeat(100_001))
      expect(yield* other.incoming.take).toBe("last words")
      yield* Effect.ignore(other.incoming.await)
      yield* Effect.ignore(one.incoming.await)
      expect(other.incoming.size()).toBe(undefined)
    }).pipe(Effect.scoped, Effect.runPromise))
})
