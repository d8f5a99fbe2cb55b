/** Proxies with rules and names of a test, and what speaks to them: real sockets on loopback. */
import { randomUUID } from "node:crypto"
import { connect, createServer, type Server, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Gate from "../../../../core/features/egress/Gate.ts"
import * as Injecting from "../../../../core/features/egress/Injecting.ts"
import * as Rules from "../../../../core/features/egress/Rules.ts"
import type { Attempt, Decision } from "../../../../core/spawn/Egress.ts"
import type { GivenSecret } from "../../../../core/spawn/Spawner.ts"
import * as Proxy from "../Proxy.ts"

const ends: Array<() => void> = []

/** Ends everything that a test has opened. */
export const endAll = (): void => {
  for (const end of ends.splice(0)) end()
}

/** The port of a server on loopback, for as long as the test. */
export const listening = async (handler: (socket: Socket) => void): Promise<number> => {
  const sockets = new Set<Socket>()
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    handler(socket)
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  ends.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as { readonly port: number }).port
}

/** A proxy for these rules. Each name has the addresses that are given, by default 127.0.0.1. */
export const proxied = async (
  rules: string,
  options: Proxy.Options & {
    readonly names?: Readonly<Record<string, ReadonlyArray<string>>>
    readonly ask?: (attempt: Attempt) => Promise<boolean>
    readonly secrets?: ReadonlyArray<GivenSecret>
  } = {},
) => {
  const policy: Rules.Policy = { of: "the server", rules: () => Result.getOrThrow(Rules.parse([rules])) }
  const told: Array<readonly [string, Decision]> = []
  const resolved: Array<string> = []
  const { secrets = [] } = options
  const fault = Injecting.fault(secrets)
  if (fault !== undefined) throw new Error(fault)
  const injections = Effect.runSync(
    Injecting.make(
      Injecting.hosted(secrets),
      Effect.sync(() => randomUUID()),
    ),
  )
  const gate = Gate.make([policy], {
    ask: async (attempt) =>
      (await options.ask?.(attempt)) === true
        ? { allowed: true }
        : { allowed: false, why: "which has denied it" },
    told: ({ host, port, protocol }, decision) => told.push([`${protocol} ${host}:${port}`, decision]),
  })
  const lookup = async (host: string) => {
    resolved.push(host)
    return options.names?.[host] ?? ["127.0.0.1"]
  }
  const proxy = Proxy.make({ ...gate, injections }, { lookup, ...options })
  const port = await listening(proxy.accept)
  ends.push(proxy.close)
  const short = () =>
    told.map(([attempt, decision]) => `${attempt} ${decision.allowed ? decision.rule : decision.reason}`)
  return { proxy, port, told: short, decisions: told, resolved, injections }
}

/** A connection, and the bytes that it has got, as text of one byte a character. */
export class Talk {
  got = ""
  ended = false
  closed = false
  readonly socket: Socket
  private readonly waiting = new Set<() => void>()

  constructor(port: number) {
    this.socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    const note = () => this.waiting.forEach((look) => look())
    this.socket.on("data", (bytes: Uint8Array) => {
      this.got += Buffer.from(bytes).toString("latin1")
      note()
    })
    this.socket.on("end", () => {
      this.ended = true
      note()
    })
    this.socket.on("close", () => {
      this.closed = true
      note()
    })
    this.socket.on("error", () => {})
    ends.push(() => this.socket.destroy())
  }

  send(text: string | Uint8Array): this {
    this.socket.write(typeof text === "string" ? Buffer.from(text, "latin1") : text)
    return this
  }

  /** The bytes that have come, once it holds. */
  until(holds: (got: string) => boolean): Promise<string> {
    return new Promise((done) => {
      const look = () => {
        if (!holds(this.got) && !this.ended && !this.closed) return
        this.waiting.delete(look)
        done(this.got)
      }
      this.waiting.add(look)
      look()
    })
  }

  /** Everything, once the peer has ended. */
  all(): Promise<string> {
    return this.until(() => false)
  }
}

/** A ClientHello with these server names, in one record of TLS. */
export const clientHello = (...names: ReadonlyArray<string>): Buffer => {
  const number = (value: number, bytes: number) => {
    const buffer = Buffer.alloc(bytes)
    buffer.writeUIntBE(value, 0, bytes)
    return buffer
  }
  const block = (bytes: Uint8Array, size: number) => Buffer.concat([number(bytes.length, size), bytes])
  const list = names.map((name) => Buffer.concat([number(0, 1), block(Buffer.from(name, "latin1"), 2)]))
  const serverName = [number(0, 2), block(block(Buffer.concat(list), 2), 2)]
  const extensions = [number(43, 2), block(Buffer.of(2, 3, 4), 2), ...(names.length === 0 ? [] : serverName)]
  const body = [
    number(0x0303, 2),
    Buffer.alloc(32, 7),
    block(Buffer.alloc(32), 1),
    block(Buffer.of(0x13, 1), 2),
  ]
  const hello = Buffer.concat([...body, block(Buffer.of(0), 1), block(Buffer.concat(extensions), 2)])
  return record(Buffer.concat([number(1, 1), block(hello, 3)]))
}

/** A record of the handshake of TLS. */
export const record = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(22, 3, 1, bytes.length >> 8, bytes.length & 255), bytes])

/** The greeting and the request of SOCKS5 to a name. */
export const socks = (host: string | Uint8Array, port: number): Buffer =>
  Buffer.concat([Buffer.of(5, 1, 0), socksRequest(host, port)])

/** The request alone. */
export const socksRequest = (host: string | Uint8Array, port: number): Buffer => {
  const name = typeof host === "string" ? Buffer.from(host, "latin1") : host
  return Buffer.concat([Buffer.of(5, 1, 0, 3, name.length), name, Buffer.of(port >> 8, port & 255)])
}
