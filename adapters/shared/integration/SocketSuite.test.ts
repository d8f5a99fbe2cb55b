/** The transport suite on SocketListener.ts and SocketClient.ts, with a plain socket at one end of some cases. */
import { mkdtempSync, rmSync } from "node:fs"
import * as net from "node:net"
import * as tls from "node:tls"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import type { Transport } from "../../../core/transport/Transport.ts"
import type { Pair, Raw } from "../../../conformance/transport/TransportContext.ts"
import * as TransportSuite from "../../../conformance/transport/TransportSuite.ts"
import * as SocketAddress from "../transport/SocketAddress.ts"
import * as SocketClient from "../transport/SocketClient.ts"
import * as SocketListener from "../transport/SocketListener.ts"
import * as Certificates from "../testing/Certificates.ts"
import * as Tls from "../transport/Tls.ts"

const folder = mkdtempSync(join(tmpdir(), "procwire-socket-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const { authority, server } = Certificates.make(folder)
const trust = { ca: authority.cert }

let count = 0
const kinds: Readonly<Record<string, () => SocketListener.Options>> = {
  "unix sockets": () => ({ kind: "unix", path: join(folder, `${++count}`) }),
  TCP: () => ({ kind: "tcp", host: "127.0.0.1", port: 0 }),
  ...(Tls.canListen ? { TLS: () => ({ kind: "tcp", host: "127.0.0.1", port: 0, tls: server }) } : {}),
}

const dial = (address: SocketAddress.SocketAddress): net.Socket =>
  address.kind === "tls"
    ? tls.connect({ host: address.host, port: address.port, ...trust })
    : net.connect(
        address.kind === "unix" ? { path: address.path } : { host: address.host, port: address.port },
      )

const addressOf = (text: string): SocketAddress.SocketAddress => {
  const address = SocketAddress.parse(text)
  if (address === undefined) throw new Error(`no address: ${text}`)
  return address
}

/** A listener, and the one connection that it accepts. */
const listening = (wanted: SocketListener.Options) =>
  Effect.gen(function* () {
    const listener = yield* SocketListener.make(wanted)
    const accepted = yield* Deferred.make<Transport>()
    const keep = (transport: Transport) => Effect.andThen(Deferred.succeed(accepted, transport), Effect.never)
    yield* Effect.forkScoped(listener.run(keep))
    return { address: addressOf(listener.address), accepted: Deferred.await(accepted) }
  })

for (const [name, wanted] of Object.entries(kinds)) {
  const pair: Pair = Effect.gen(function* () {
    const { address, accepted } = yield* listening(wanted())
    const client = yield* SocketClient.connect(address, trust)
    return [client, yield* accepted] as const
  })

  const raw: Raw = Effect.gen(function* () {
    const { address, accepted } = yield* listening(wanted())
    const socket = yield* Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<net.Socket>((done) => {
            const peer = dial(address)
            peer.on("error", () => {})
            const ready = address.kind === "tls" ? "secureConnect" : "connect"
            peer.once(ready, () => done(peer.setNoDelay(true).resume()))
          }),
      ),
      (peer) => Effect.sync(() => peer.destroy()),
    )
    return {
      transport: yield* accepted,
      frame: (message) => Buffer.concat([message, Buffer.from("\n")]),
      send: (bytes) =>
        Effect.promise(async () => {
          await new Promise<void>((done) => socket.write(bytes, () => done()))
          await new Promise((done) => setImmediate(done)) // so that the other end reads this piece alone
        }),
      end: Effect.promise(() => new Promise<void>((done) => socket.end(done))),
    }
  })

  // A byte of a message is worth the same behind TLS, where a piece costs several times as much.
  const except = name === "TLS" ? ["transport/framing/**"] : []
  TransportSuite.suite(name, pair, { raw, except })
}
