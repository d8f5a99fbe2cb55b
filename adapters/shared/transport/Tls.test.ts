import * as fs from "node:fs"
import * as net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as tls from "node:tls"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import type { Transport } from "../../../core/transport/Transport.ts"
import * as SocketAddress from "./SocketAddress.ts"
import * as SocketClient from "./SocketClient.ts"
import * as SocketListener from "./SocketListener.ts"
import * as Certificates from "../testing/Certificates.ts"
import type { ClientTls } from "./ClientTls.ts"
import * as Tls from "./Tls.ts"

const folder = fs.mkdtempSync(join(tmpdir(), "procwire-tls-"))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))
const { authority, server, client, stranger } = Certificates.make(folder)

const echo = (transport: Transport) =>
  transport.incoming.take.pipe(
    Effect.map((text) => void transport.write(text)),
    Effect.forever,
    Effect.ignore,
  )

/** Runs a TLS listener while `test` uses its address. */
const listening = <A>(wanted: Tls.ServerTls, test: (address: string) => Promise<A>): Promise<A> =>
  Effect.gen(function* () {
    const listener = yield* SocketListener.make({ kind: "tcp", host: "127.0.0.1", port: 0, tls: wanted })
    yield* Effect.forkScoped(listener.run(echo))
    return yield* Effect.promise(() => test(listener.address))
  }).pipe(Effect.scoped, Effect.runPromise)

/** The answer of an echo server, or the reason why there is none. */
const ask = (address: string, trust?: ClientTls): Promise<string> =>
  Effect.flatMap(
    SocketClient.connect(SocketAddress.parse(address) as SocketAddress.SocketAddress, trust),
    (transport) => {
      transport.write('"hello"')
      return transport.incoming.take
    },
  ).pipe(
    Effect.catch((error) => Effect.succeed(`refused: ${Cause.isDone(error) ? "" : error.message}`)),
    Effect.scoped,
    Effect.runPromise,
  )

const refusal = (wanted: Tls.ServerTls) =>
  listening(wanted, () => Promise.resolve("it listens")).catch((error: unknown) => (error as Error).message)

describe.runIf(Tls.canListen)("a listener", () => {
  it("speaks TLS with a certificate, to clients that trust it", async () => {
    await listening(server, async (address) => {
      expect(address).toMatch(/^tls:\/\/127\.0\.0\.1:\d+$/)
      expect(await ask(address, { ca: authority.cert })).toBe('"hello"')
      expect(await ask(address)).toMatch(/^refused: cannot connect to tls:.*certificate/is)
      expect(await ask(address, { ca: stranger.cert })).toMatch(/^refused: cannot connect to tls:/)
    })
  })

  // guards: certificate-name
  it("is refused to a client that calls the server by a name that its certificate does not have", async () => {
    await listening(server, async (address) => {
      const localhost = address.replace("127.0.0.1", "localhost")
      expect(await ask(localhost, { ca: authority.cert })).toMatch(/^refused: cannot connect to tls:/)
    })
  })

  // guards: wrong-certificate
  it("lets only clients in that have a certificate of the authority, where one is asked for", async () => {
    await listening({ ...server, clientCa: authority.cert }, async (address) => {
      const ca = authority.cert
      expect(await ask(address, { ca, cert: client.cert, key: client.key })).toBe('"hello"')
      expect(await ask(address, { ca })).toMatch(/^refused/)
      expect(await ask(address, { ca, cert: stranger.cert, key: stranger.key })).toMatch(/^refused/)
    })
  })

  // guards: idle-handshakes
  it("goes on for others while clients speak no TLS, or nothing at all", async () => {
    await listening(server, async (address) => {
      const { port } = new URL(address.replace("tls:", "http:"))
      const [silent, plain] = [net.connect(Number(port), "127.0.0.1"), net.connect(Number(port), "127.0.0.1")]
      for (const socket of [silent, plain]) socket.on("error", () => {})
      const refused = new Promise((done) => plain.on("close", done))
      plain.resume().write('{"id":1,"method":"initialize","params":{"clientName":"x"}}\n')
      await refused
      expect(await ask(address, { ca: authority.cert })).toBe('"hello"')
      silent.destroy()
    })
  })

  it("does not listen with a key that is not the certificate's, or none", async () => {
    expect(await refusal({ ...server, key: client.key })).toMatch(/^cannot serve over TLS: /)
    expect(await refusal({ cert: "no", key: "no" })).toMatch(/^cannot serve over TLS: /)
  })
})

it.runIf(!Tls.canListen)("is refused to a listener where nothing would hold up its writers", async () => {
  expect(await refusal(server)).toBe("cannot serve over TLS: Deno's TLS has no back-pressure")
})

it("is spoken by our client to any server", async () => {
  const plain = tls.createServer({ ...server, ca: authority.cert, requestCert: true }, (socket) => {
    socket.on("error", () => {}).pipe(socket)
  })
  await new Promise<void>((done) => plain.listen(0, "127.0.0.1", done))
  const { port } = plain.address() as net.AddressInfo
  const [ca, address] = [authority.cert, `tls://127.0.0.1:${port}`]
  expect(await ask(address, { ca, cert: client.cert, key: client.key })).toBe('"hello"')
  expect(await ask(address, { ca })).toMatch(/^refused/)
  expect(await ask(address, { ca: stranger.cert })).toMatch(/^refused: cannot connect to tls:/)
  plain.close()
})
