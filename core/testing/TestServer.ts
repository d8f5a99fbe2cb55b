/**
 * What the client is tested against: the real server with scripted children, in one program over linked
 * transports, and a scripted peer for what a real server never sends.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Files from "../files/Files.ts"
import * as FakeHttp from "../http/Fake.ts"
import type { Json } from "../protocol/Json.ts"
import * as Message from "../protocol/Message.ts"
import * as ExecServer from "../server/ExecServer.ts"
import { SessionIds } from "../session/SessionIds.ts"
import { defaultOptions } from "../session/SessionRegistry.ts"
import * as Fake from "../spawn/Fake.ts"
import { Host, type HostInfo } from "../spawn/Host.ts"
import * as Memory from "../transport/Memory.ts"
import type { Transport } from "../transport/Transport.ts"

export const host: HostInfo = {
  platform: "linux",
  env: { PATH: "/usr/bin:/bin", HOME: "/home/tester" },
  cwd: "/srv",
  home: "/home/tester",
  temp: "/tmp",
  shell: { name: "sh", path: "/bin/sh" },
}

/** What differs from a server's defaults. */
export type Settings = Partial<Omit<ExecServer.Options, "limits">> & {
  readonly limits?: Partial<ExecServer.Options["limits"]>
  /** The HTTP origins that there are: none unless told. */
  readonly answer?: FakeHttp.Answer
}

export interface TestServer {
  readonly fake: Fake.Fake
  /** A new connection, served until its scope closes. */
  readonly connect: Effect.Effect<Transport, never, Scope.Scope>
}

/** The real server over a fake spawner. */
export const make = (
  options: Fake.Options = {},
  { limits, answer, ...serverOptions }: Settings = {},
): Effect.Effect<TestServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fake = yield* Fake.make(options)
    let sessions = 0
    const layer = Layer.mergeAll(
      fake.layer,
      Files.layerNone,
      FakeHttp.layer(answer),
      Layer.succeed(Host, host),
      Layer.succeed(SessionIds, {
        next: Effect.sync(() => `00000000-0000-4000-8000-${String((sessions += 1)).padStart(12, "0")}`),
      }),
    )
    const server = yield* ExecServer.make({
      ...defaultOptions,
      version: "0.0.0",
      ...serverOptions,
      limits: { ...defaultOptions.limits, ...limits },
    }).pipe(Effect.provide(layer))
    const connect = Effect.gen(function* () {
      const [left, right] = yield* Memory.makePair()
      yield* Effect.forkScoped(Effect.ensuring(Effect.scoped(server.serve(right)), right.close))
      return left
    })
    return { fake, connect }
  })

/** The server's side of a connection, in the hands of a test. */
export interface Peer {
  /** The client's side. */
  readonly transport: Transport
  /** The next message of the client. */
  readonly take: Effect.Effect<Message.Message>
  /** The next request; fails the test if it is another one. */
  readonly request: (
    method: string,
  ) => Effect.Effect<{ readonly id: Message.RequestId; readonly params: Json }>
  readonly reply: (id: Message.RequestId, result: unknown) => void
  readonly send: (text: string) => void
  readonly notify: (method: string, params: unknown) => void
  /** Answers the handshake. */
  readonly handshake: Effect.Effect<void>
  readonly close: Effect.Effect<void>
}

export const makePeer: Effect.Effect<Peer, never, Scope.Scope> = Effect.gen(function* () {
  const [left, right] = yield* Memory.makePair()
  const send = (text: string) => void right.write(text)
  const reply = (id: Message.RequestId, result: unknown) =>
    send(Message.responseText(id, JSON.stringify(result)))
  const take = Effect.map(Effect.orDie(right.incoming.take), (text) =>
    Either.getOrThrow(Message.fromText(text)),
  )
  const request = (method: string) =>
    Effect.flatMap(take, (message) =>
      message.kind === "request" && message.method === method
        ? Effect.succeed(message)
        : Effect.dieMessage(`expected ${method}, got ${JSON.stringify(message)}`),
    )
  const handshake = Effect.gen(function* () {
    const { id } = yield* request("initialize")
    reply(id, { sessionId: "s1", environmentInfo: { shell: { name: "sh", path: "/bin/sh" } } })
    yield* take
  })
  return {
    transport: left,
    take,
    request,
    reply,
    send,
    notify: (method, params) => send(Message.notificationText(method, params)),
    handshake,
    close: right.close,
  }
})
