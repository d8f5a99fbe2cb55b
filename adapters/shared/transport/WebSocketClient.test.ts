import { withinText } from "../../../core/protocol/Bytes.ts"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import { WebSocketServer } from "real-ws"
import { describe, expect, it } from "vitest"
import type { Transport } from "../../../core/transport/Transport.ts"
import type { HttpHeaders } from "../../../core/client/HttpHeaders.ts"
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
    ["text", "é".repeat(9_000_000)],
    ["bytes", new TextEncoder().encode("é".repeat(9_000_000))],
  ])("splits %s over the server's limit per frame into fragments", (_, message) =>
    Effect.gen(function* () {
      const listener = yield* WebSocketListener.make({ host: "127.0.0.1", port: 0 })
      yield* Effect.forkScoped(listener.run(echo))
      const transport = yield* WebSocketClient.connect(listener.address)
      transport.write(message)
      expect((yield* transport.incoming.take) === "é".repeat(9_000_000)).toBe(true)
    }).pipe(Effect.scoped, Effect.runPromise),
  )

  it("sends bytes in a text frame, and cuts long base64 out of notifications", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.callback<WebSocketServer>((resume) => {
          const made: WebSocketServer = new WebSocketServer({ port: 0, host: "127.0.0.1" }, () =>
            resume(Effect.succeed(made)),
          )
        }),
        (made) => Effect.sync(() => made.close()),
      )
      const kinds: Array<boolean> = []
      server.on("connection", (socket) =>
        socket.on("message", (data, binary) => {
          kinds.push(binary)
          socket.send(data, { binary })
        }),
      )
      const { port } = server.address() as AddressInfo
      const url = `ws://127.0.0.1:${port}`
      const chunk = new Uint8Array(6000).fill(7)
      const head = new TextEncoder().encode('{"method":"m","params":{"chunk":"')
      const message = withinText(head, "", chunk, new TextEncoder().encode('"}}'))
      const transport = yield* WebSocketClient.connect(url)
      transport.write(message)
      const [messages] = yield* transport.cut!.takeAll
      expect([...messages]).toMatchObject([{ bytes: chunk }])
      const plain = yield* WebSocketClient.connect(url, { plain: true })
      plain.write(message)
      expect(plain.cut).toBeUndefined()
      expect(yield* plain.incoming.take).toBe(new TextDecoder().decode(message))
      expect(kinds).toEqual([false, false])
    }).pipe(Effect.scoped, Effect.runPromise))

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
      const one = { authorization: "Bearer x" }
      for (const headers of [one, new Headers(one), new Map(Object.entries(one)), Object.entries(one)]) {
        const options = { headers: headers as HttpHeaders }
        const transport = yield* WebSocketClient.connect(listener.address, options)
        transport.write("1")
        expect(yield* transport.incoming.take).toBe("1")
      }
    }).pipe(Effect.scoped, Effect.runPromise))
})
