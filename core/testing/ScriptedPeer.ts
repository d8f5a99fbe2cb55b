/** A server that a test plays by hand: it can send what a real server never sends. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Json } from "../protocol/Json.ts"
import * as Message from "../protocol/Message.ts"
import * as Memory from "../transport/Memory.ts"
import type { Transport } from "../transport/Transport.ts"

export interface ScriptedPeer {
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
  /** Answers `initialize` and takes `initialized`. */
  readonly handshake: Effect.Effect<void>
  readonly close: Effect.Effect<void>
}

export const make: Effect.Effect<ScriptedPeer, never, Scope.Scope> = Effect.gen(function* () {
  const [left, right] = yield* Memory.makePair()
  const send = (text: string) => void right.write(text)
  const reply = (id: Message.RequestId, result: unknown) =>
    send(Message.responseText(id, JSON.stringify(result)))
  const take = Effect.map(Effect.orDie(right.incoming.take), (text) =>
    Result.getOrThrow(Message.fromText(text)),
  )
  const request = (method: string) =>
    Effect.flatMap(take, (message) =>
      message.kind === "request" && message.method === method
        ? Effect.succeed(message)
        : Effect.die(new Error(`expected ${method}, got ${JSON.stringify(message)}`)),
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
