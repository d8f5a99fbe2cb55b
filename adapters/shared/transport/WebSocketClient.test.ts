import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Transport } from "../../../core/transport/Transport.ts"
import * as WebSocketClient from "./WebSocketClient.ts"
import * as WebSocketListener from "./WebSocketListener.ts"

const echo = (transport: Transport) =>
  transport.incoming.take.pipe(
    Effect.map((text) => void transport.write(text)),
    Effect.forever,
    Effect.ignore,
  )

describe("WebSocketClient", () => {
  it.each([
    ["text", "é".repeat(15_000_000)],
    ["bytes", new TextEncoder().encode("é".repeat(15_000_000))],
  ])("splits %s over the server's limit per frame into fragments", (_, message) =>
    Effect.gen(function* () {
      const listener = yield* WebSocketListener.make({ host: "127.0.0.1", port: 0 })
      yield* Effect.forkScoped(listener.run(echo))
      const transport = yield* WebSocketClient.connect(listener.address)
      transport.write(message)
      expect((yield* transport.incoming.take) === "é".repeat(15_000_000)).toBe(true)
    }).pipe(Effect.scoped, Effect.runPromise),
  )

  it("sends the given headers", () =>
    Effect.gen(function* () {
      const listener = yield* WebSocketListener.make({
        host: "127.0.0.1",
        port: 0,
        admit: async (request) =>
          request.header("authorization") === "Bearer x" ? {} : { reply: { status: 401, body: "" } },
      })
      yield* Effect.forkScoped(listener.run(echo))
      const error = yield* Effect.flip(WebSocketClient.connect(listener.address))
      expect(error.message).toContain("401")
      const headers = { authorization: "Bearer x" }
      const transport = yield* WebSocketClient.connect(listener.address, { headers })
      transport.write("1")
      expect(yield* transport.incoming.take).toBe("1")
    }).pipe(Effect.scoped, Effect.runPromise))
})
