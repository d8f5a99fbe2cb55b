import { once } from "node:events"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { describe, expect, it } from "vitest"
import { WebSocket, WebSocketServer } from "real-ws"
import { highWaterMark, type Transport } from "../../core/transport/Transport.ts"
import * as WebSocketTransport from "./WebSocketTransport.ts"

const open = (url: string) => new WebSocket(url)

/** A transport connected to a server of the test. */
const connected = <A, E>(
  serve: (socket: WebSocket) => void,
  test: (transport: Transport) => Effect.Effect<A, E>,
  options: WebSocketTransport.Options = { open },
) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const listening = new WebSocketServer({ host: "127.0.0.1", port: 0 })
        listening.on("connection", serve)
        await once(listening, "listening")
        return listening
      }),
      (listening) =>
        Effect.sync(() => {
          for (const client of listening.clients) client.terminate()
          listening.close()
        }),
    )
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
    return yield* Effect.flatMap(WebSocketTransport.connect(url, options), test)
  }).pipe(Effect.scoped, Effect.runPromise)

const echo = (socket: WebSocket) => {
  socket.on("message", (data, binary) => socket.send(data, { binary }))
}

const take = (transport: Transport, count: number) =>
  Effect.gen(function* () {
    const taken: Array<string> = []
    while (taken.length < count) taken.push(yield* transport.incoming.take)
    return taken
  })

describe("WebSocketTransport", () => {
  it("carries 10,000 messages both ways in order, as text or bytes", () =>
    connected(echo, (transport) =>
      Effect.gen(function* () {
        const texts = Array.from({ length: 10_000 }, (_, i) => `{"id":${i},"text":"é"}`)
        for (const [i, text] of texts.entries()) {
          transport.write(i % 2 === 0 ? text : new TextEncoder().encode(text))
        }
        expect(yield* take(transport, texts.length)).toEqual(texts)
      }),
    ))

  it("carries a message of 24 MB", () =>
    connected(echo, (transport) =>
      Effect.gen(function* () {
        transport.write("x".repeat(24_000_000))
        expect((yield* transport.incoming.take).length).toBe(24_000_000)
      }),
    ))

  it("ends when the server just ends TCP, after what it had sent", () =>
    connected(
      (socket) => socket.send("last", () => socket.terminate()),
      (transport) =>
        Effect.gen(function* () {
          const taken: Array<string> = []
          for (;;) {
            const [messages, done] = yield* transport.incoming.takeAll
            taken.push(...messages)
            if (done) break
          }
          expect(taken).toEqual(["last"])
          expect(transport.write("late")).toBe(true)
        }),
    ))

  it("fails on bytes that are not UTF-8", () =>
    connected(
      (socket) => socket.send(Buffer.from([0xff])),
      (transport) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(transport.incoming.await)
          expect(error.reason).toBe("InvalidUtf8")
        }),
    ))

  it("answers false while the server does not read, and calls back when it does", () => {
    const paused: Array<WebSocket> = []
    return connected(
      (socket) => {
        socket.pause()
        paused.push(socket)
      },
      (transport) =>
        Effect.gen(function* () {
          const drains: Array<string> = []
          transport.onDrain(() => drains.push("drained"))
          const bytes = new Uint8Array(65_536).fill(97)
          for (let i = 0; i < 512; i++) transport.write(bytes)
          expect(transport.write(bytes)).toBe(false)
          expect(drains).toEqual([])
          paused[0]?.resume()
          while (drains.length === 0) yield* Effect.promise(() => new Promise(setImmediate))
          expect(transport.write(bytes)).toBe(true)
        }),
    )
  })

  it("calls back also when a small message was written while it drained", () => {
    const socket = Object.assign(new EventTarget(), {
      binaryType: "",
      readyState: 1,
      bufferedAmount: 0,
      send: (data: string | Uint8Array) => {
        socket.bufferedAmount += data.length
      },
      close: () => socket.dispatchEvent(new Event("close")),
    })
    return Effect.gen(function* () {
      const transport = yield* WebSocketTransport.connect("ws://any", {
        open: () => {
          setImmediate(() => socket.dispatchEvent(new Event("open")))
          return socket as unknown as WebSocketTransport.WebSocketLike
        },
      })
      const drained = yield* Latch.make()
      transport.onDrain(() => drained.openUnsafe())
      expect(transport.write("x".repeat(highWaterMark))).toBe(false)
      socket.bufferedAmount = 0
      expect(transport.write("x")).toBe(false)
      yield* drained.await
      expect(transport.write("x")).toBe(true)
    }).pipe(Effect.scoped, Effect.runPromise)
  })

  it("stops a socket that can be stopped while nobody takes, and loses nothing", () => {
    let sent = 0
    const text = "x".repeat(100_000)
    return connected(
      (socket) => {
        for (let i = 0; i < 1000; i++) socket.send(text, () => sent++)
      },
      (transport) =>
        Effect.gen(function* () {
          let quiet = 0
          for (let before = -1; quiet < 100; before = sent) {
            yield* Effect.promise(() => new Promise(setImmediate))
            quiet = before === sent ? quiet + 1 : 0
          }
          expect(sent * text.length).toBeGreaterThan(highWaterMark)
          expect(sent).toBeLessThan(1000)
          expect((yield* take(transport, 1000)).every((taken) => taken.length === text.length)).toBe(true)
        }),
    )
  })

  it("fails to open where nobody listens, naming the address", async () => {
    const error = await WebSocketTransport.connect("ws://127.0.0.1:1", { open }).pipe(
      Effect.flip,
      Effect.scoped,
      Effect.runPromise,
    )
    expect(error.reason).toBe("Open")
    expect(error.message).toContain("cannot connect to ws://127.0.0.1:1")
  })

  it("fails to open a URL that is none", async () => {
    const error = await WebSocketTransport.connect("nonsense", { open }).pipe(
      Effect.flip,
      Effect.scoped,
      Effect.runPromise,
    )
    expect(error.reason).toBe("Open")
  })

  it("says good-bye to the server when the scope closes", async () => {
    let code: Promise<Array<unknown>> | undefined
    await connected(
      (socket) => {
        code = once(socket, "close") as Promise<Array<unknown>>
      },
      () => Effect.void,
    )
    expect((await code!)[0]).toBe(1000)
  })

  it.runIf("WebSocket" in globalThis)("uses the runtime's own WebSocket where none is given", () =>
    connected(
      echo,
      (transport) =>
        Effect.gen(function* () {
          transport.write("1")
          transport.write(new TextEncoder().encode("2"))
          expect(yield* take(transport, 2)).toEqual(["1", "2"])
        }),
      {},
    ),
  )
})
