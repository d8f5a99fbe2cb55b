import { once } from "node:events"
import * as net from "node:net"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { WebSocket } from "real-ws"
import type { Transport } from "../../../core/transport/Transport.ts"
import { connect, echo, listening, nextMessage } from "../testing/WebSockets.ts"
import * as WebSocketListener from "./WebSocketListener.ts"

const closeCode = (socket: WebSocket) => once(socket, "close").then(([code]) => code as unknown)

/** One raw HTTP exchange: status, headers in lower case, body. */
const exchange = async (port: number, head: string) => {
  const socket = net.connect(port, "127.0.0.1")
  socket.write(`${head.replaceAll("\n", "\r\n")}\r\nHost: x\r\n\r\n`)
  let reply = ""
  for await (const chunk of socket) {
    reply += String(chunk)
    const [headers, body] = reply.split("\r\n\r\n")
    const length = /content-length: (\d+)/iu.exec(headers!)?.[1] ?? "0"
    if (body !== undefined && (body.length >= Number(length) || head.startsWith("HEAD"))) break
  }
  socket.destroy()
  const [headers, body] = reply.split("\r\n\r\n")
  return { status: Number(reply.split(" ")[1]), headers: headers!.toLowerCase(), body: body! }
}

const upgrade = (path: string, ...more: ReadonlyArray<string>) =>
  [`GET ${path} HTTP/1.1`, "Connection: Upgrade", "Upgrade: websocket", ...more].join("\n")
const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
const version = "Sec-WebSocket-Version: 13"

describe("WebSocketListener, HTTP", () => {
  const rows: ReadonlyArray<readonly [string, number, string]> = [
    ["GET /readyz HTTP/1.1", 200, ""],
    ["GET /readyz?x=1 HTTP/1.1", 200, ""],
    ["HEAD /readyz HTTP/1.1", 200, ""],
    [upgrade("/readyz", key, version), 200, ""],
    ["POST /readyz HTTP/1.1", 405, ""],
    ["GET /readyz/ HTTP/1.1", 404, ""],
    ["GET /healthz HTTP/1.1", 404, ""],
    ["GET /livez HTTP/1.1", 404, ""],
    ["GET /metrics HTTP/1.1", 404, ""],
    ["POST /other HTTP/1.1", 404, ""],
    [upgrade("/other", key, version), 404, ""],
    ["GET / HTTP/1.1", 400, "Connection header did not include 'upgrade'"],
    ["GET / HTTP/1.1\nUpgrade: websocket", 400, "Connection header did not include 'upgrade'"],
    ["GET / HTTP/1.1\nConnection: upgrade", 400, "`Upgrade` header did not include 'websocket'"],
    ["POST / HTTP/1.1", 405, "Request method must be `GET`"],
    [upgrade("/", key, version).replace("GET", "POST"), 405, "Request method must be `GET`"],
    [
      upgrade("/", key, "Sec-WebSocket-Version: 12"),
      400,
      "`Sec-WebSocket-Version` header did not include '13'",
    ],
    [upgrade("/", key), 400, "`Sec-WebSocket-Version` header did not include '13'"],
    [upgrade("/", version), 400, "`Sec-WebSocket-Key` header missing"],
    ["GET /readyz HTTP/1.1\nOrigin: http://x", 403, ""],
    ["GET /readyz HTTP/1.1\nOrigin:", 403, ""],
    ["GET /other HTTP/1.1\nOrigin: null", 403, ""],
    [upgrade("/", key, version, "Origin: http://127.0.0.1"), 403, ""],
    [upgrade("/", key, version, "Origin:"), 403, ""],
  ]
  it.each(rows)("answers %j with %i %j", (head, status, body) =>
    listening(echo, async (_, { port }) => {
      const reply = await exchange(port, head)
      expect([reply.status, reply.body]).toEqual([status, body])
      if (status === 405 && body === "") expect(reply.headers).toContain("allow: get,head")
    }),
  )

  it("upgrades at / with any query, without a subprotocol or an extension", () =>
    listening(echo, async (_, { port }) => {
      const more = ["Sec-WebSocket-Protocol: a, b", "Sec-WebSocket-Extensions: permessage-deflate"]
      const reply = await exchange(port, upgrade("/?token=x", key, version, ...more))
      expect(reply.status).toBe(101)
      expect(reply.headers).not.toMatch(/sec-websocket-(protocol|extensions)/u)
    }))

  // guards: page-origin
  it("refuses what the rule for upgrades refuses, after malformed ones and not for /readyz", () =>
    listening(
      echo,
      async (_, { port }) => {
        expect(await exchange(port, upgrade("/", key, version))).toMatchObject({ status: 401, body: "no" })
        expect(await exchange(port, upgrade("/", version))).toMatchObject({ status: 400 })
        expect(await exchange(port, "GET /readyz HTTP/1.1")).toMatchObject({ status: 200 })
      },
      { admit: async () => ({ reply: { status: 401, body: "no" } }) },
    ))
})

describe("WebSocketListener", () => {
  it("closes the port and every connection, also of a client that does not read", async () => {
    const clients: Array<WebSocket> = []
    const flood = (transport: Transport) =>
      Effect.sync(() => {
        while (transport.write(new Uint8Array(65_536).fill(97)));
      }).pipe(Effect.andThen(Effect.never))
    const url = await listening(flood, async (address) => {
      for (let i = 0; i < 10; i++) {
        const socket = await connect(address)
        if (i % 2 === 0) socket.pause()
        socket.on("error", () => {})
        clients.push(socket)
      }
      return address
    })
    for (const socket of clients) {
      socket.resume()
      if (socket.readyState !== WebSocket.CLOSED) await once(socket, "close")
    }
    await expect(connect(url)).rejects.toThrow("ECONNREFUSED")
  })

  it("names the peer as the client's address, and itself as the URL, also on IPv6", async () => {
    for (const [host, shown] of [
      ["127.0.0.1", "127.0.0.1"],
      ["::1", "[::1]"],
    ] as const) {
      const serve = (transport: Transport) =>
        Effect.andThen(
          Effect.sync(() => void transport.write(transport.label)),
          Effect.never,
        )
      await listening(
        serve,
        async (url, { port }) => {
          expect(url).toBe(`ws://${shown}:${port}`)
          const socket = new WebSocket(url)
          const prefix = `websocket JSON-RPC message from exec-server websocket ${shown}:`
          const { text } = await nextMessage(socket)
          expect(text.startsWith(prefix) && /^\d+$/u.test(text.slice(prefix.length))).toBe(true)
        },
        { host },
      )
    }
  })

  it("names an address that is busy, in the words of the peer implementation", () =>
    listening(echo, async (_, { host, port }) => {
      const error = await Effect.runPromise(
        Effect.flip(Effect.scoped(WebSocketListener.make({ host, port }))),
      )
      expect([error.reason, error.message]).toEqual([
        "Open",
        `cannot listen on ws://${host}:${port}: Address in use (os error 98)`,
      ])
    }))

  it("stops serving when the run is interrupted", () =>
    Effect.gen(function* () {
      const listener = yield* WebSocketListener.make({ host: "127.0.0.1", port: 0 })
      const fiber = yield* Effect.forkChild(listener.run(echo))
      const socket = yield* Effect.promise(() => connect(listener.address))
      const code = closeCode(socket)
      yield* Fiber.interrupt(fiber)
      expect(yield* Effect.promise(() => code)).toBe(1006)
    }).pipe(Effect.scoped, Effect.runPromise))
})
