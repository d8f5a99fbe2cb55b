/**
 * A network between a client and the real server that a test makes fail: connections can be cut with the messages in
 * flight, be refused for a while, be lost on one side only, or be changed in what they carry.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Memory from "../transport/Memory.ts"
import { type Transport, TransportError } from "../transport/Transport.ts"
import type { Open } from "../client/Reconnect.ts"
import type { TestServer } from "./TestServer.ts"

export class TestNetwork {
  /** With false, connections are refused. */
  reachable = true
  /** With false, connections are accepted and carry nothing. */
  alive = true
  /** The times of attempts to connect, in milliseconds of the test's clock. */
  readonly attempts: Array<number> = []
  /** The messages that the client has sent. */
  readonly sent: Array<string> = []
  /** Changes a message of the client; undefined drops it. */
  toServer: (text: string) => string | undefined = (text) => text
  /** Changes a message of the server; undefined drops it. */
  toClient: (text: string) => string | undefined = (text) => text
  private readonly server: Omit<TestServer, "serve">
  private readonly scope: Scope.Scope
  private current: Ends | undefined

  constructor(server: Omit<TestServer, "serve">, scope: Scope.Scope) {
    this.server = server
    this.scope = scope
  }

  readonly open: Open = Effect.gen({ self: this }, function* () {
    this.attempts.push(yield* Effect.clockWith((clock) => clock.currentTimeMillis))
    if (!this.reachable) return yield* new TransportError({ reason: "Open", message: "nobody is there" })
    const near = yield* Scope.fork(yield* Effect.scope)
    const ends: Ends = { near, far: yield* Scope.fork(this.scope), stranded: false }
    yield* Scope.addFinalizer(
      near,
      Effect.suspend(() => (ends.stranded ? Effect.void : Scope.close(ends.far, Exit.void))),
    )
    const served = yield* Scope.provide(this.server.connect, ends.far)
    const [client, relay] = yield* Scope.provide(Memory.makePair(), near)
    const up = pump(relay, served, (text) => {
      this.sent.push(text)
      return this.alive ? this.toServer(text) : undefined
    })
    const down = pump(served, relay, (text) => (this.alive ? this.toClient(text) : undefined))
    const both = Effect.andThen(Effect.race(up, down), relay.close)
    yield* Effect.forkIn(Effect.interruptible(both), near)
    this.current = ends
    return client
  })

  /** Ends the connection on both sides; messages in flight are lost. */
  readonly cut: Effect.Effect<void> = Effect.suspend(() =>
    this.current === undefined ? Effect.void : Scope.close(this.current.near, Exit.void),
  )

  /** Ends the connection for the client only; the server notices when `noticed` runs. */
  readonly strand: Effect.Effect<{ readonly noticed: Effect.Effect<void> }> = Effect.suspend(() => {
    const { current } = this
    if (current === undefined) return Effect.die(new Error("no connection"))
    current.stranded = true
    return Effect.as(this.cut, { noticed: Scope.close(current.far, Exit.void) })
  })
}

interface Ends {
  readonly near: Scope.Closeable
  readonly far: Scope.Closeable
  stranded: boolean
}

/** Carries messages one by one, at the speed of the receiver; ends when the sender does. */
const pump = (
  from: Transport,
  to: Transport,
  change: (text: string) => string | undefined,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const room = yield* Latch.make(true)
    to.onDrain(() => room.openUnsafe())
    for (;;) {
      const text = change(yield* from.incoming.take)
      room.closeUnsafe()
      if (text === undefined || to.write(text)) room.openUnsafe()
      yield* room.await
      yield* Effect.yieldNow
    }
  }).pipe(Effect.ignore)
