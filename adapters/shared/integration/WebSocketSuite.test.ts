/** The transport suite on WebSocketListener.ts and WebSocketClient.ts, with a raw socket at one end of some cases. */
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import * as Net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Transport } from "../../../core/transport/Transport.ts"
import type { Pair, Raw } from "../../../conformance/transport/TransportContext.ts"
import * as TransportSuite from "../../../conformance/transport/TransportSuite.ts"
import { name as runtime } from "../../testing/Runtime.ts"
import * as Certificates from "../testing/Certificates.ts"
import * as WebSocketClient from "../transport/WebSocketClient.ts"
import * as WebSocketListener from "../transport/WebSocketListener.ts"

/** A listener, and the one connection that it accepts. */
const listening = (more: Partial<WebSocketListener.Options> = {}) =>
  Effect.gen(function* () {
    const listener = yield* WebSocketListener.make({ host: "127.0.0.1", port: 0, ...more })
    const accepted = yield* Deferred.make<Transport>()
    const keep = (transport: Transport) => Effect.andThen(Deferred.succeed(accepted, transport), Effect.never)
    yield* Effect.forkScoped(listener.run(keep))
    return { url: listener.address, accepted: Deferred.await(accepted) }
  })

const pair: Pair = Effect.gen(function* () {
  const { url, accepted } = yield* listening()
  const client = yield* WebSocketClient.connect(url)
  return [client, yield* accepted] as const
})

const upgrade = [
  "GET / HTTP/1.1",
  "Host: x",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version: 13",
  "\r\n",
].join("\r\n")

/** One masked text frame, as a client sends it. */
const frame = (message: Uint8Array): Uint8Array => {
  const { length } = message
  const head =
    length < 126
      ? Uint8Array.of(0x81, 0x80 | length)
      : length < 65_536
        ? Uint8Array.of(0x81, 0x80 | 126, length >> 8, length & 0xff)
        : Uint8Array.of(0x81, 0x80 | 127, 0, 0, 0, 0, length >>> 24, length >> 16, length >> 8, length)
  const mask = Uint8Array.of(0x12, 0x34, 0x56, 0x78)
  return Buffer.concat([head, mask, message.map((byte, i) => byte ^ (mask[i % 4] ?? 0))])
}

const raw: Raw = Effect.gen(function* () {
  const { url, accepted } = yield* listening()
  const socket = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const peer = Net.connect(Number(new URL(url).port), "127.0.0.1")
      peer.on("error", () => {}).setNoDelay(true)
      peer.write(upgrade)
      await once(peer, "data")
      peer.resume()
      return peer
    }),
    (peer) => Effect.sync(() => peer.destroy()),
  )
  return {
    transport: yield* accepted,
    frame,
    send: (bytes) =>
      Effect.promise(async () => {
        await new Promise<void>((done) => socket.write(bytes, () => done()))
        await new Promise((done) => setImmediate(done)) // so that the other end reads this piece alone
      }),
    end: Effect.promise(() => new Promise<void>((done) => socket.end(done))),
  }
})

TransportSuite.suite("WebSockets", pair, { raw })

// A listener with TLS is another server on Bun: see HttpServer.ts.
if (runtime === "Bun") {
  const folder = mkdtempSync(join(tmpdir(), "procwire-wss-"))
  const { authority, server: tls } = Certificates.make(folder)
  rmSync(folder, { recursive: true })
  const secure: Pair = Effect.gen(function* () {
    const { url, accepted } = yield* listening({ tls })
    const client = yield* WebSocketClient.connect(url, { ca: authority.cert })
    return [client, yield* accepted] as const
  })
  TransportSuite.suite("WebSockets over TLS", secure)
}
