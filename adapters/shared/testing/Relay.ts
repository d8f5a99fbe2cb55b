/**
 * A command for the tests of `StdioTransport`: relays messages between its stdio and the local port in its argument,
 * with back-pressure in both directions.
 */
import * as Net from "node:net"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { Listener } from "../../../core/transport/Listener.ts"
import type { Transport } from "../../../core/transport/Transport.ts"
import * as LineTransport from "../transport/LineTransport.ts"
import { layerStdio } from "../transport/StdioTransport.ts"

const pump = (from: Transport, to: Transport): Effect.Effect<void> =>
  Effect.gen(function* () {
    const room = yield* Latch.make(true)
    to.onDrain(() => room.openUnsafe())
    for (;;) {
      const text = yield* from.incoming.take
      room.closeUnsafe()
      if (to.write(text)) room.openUnsafe()
      yield* room.await
    }
  }).pipe(Effect.ignore)

const socket = Net.connect(Number(process.argv[2]), "127.0.0.1")

const serve = (stdio: Transport) =>
  Effect.gen(function* () {
    const other = yield* LineTransport.make({ label: "socket", input: socket, output: socket })
    yield* Effect.race(pump(stdio, other), pump(other, stdio))
    yield* other.close
  }).pipe(Effect.scoped)

await Effect.runPromise(
  Effect.provide(
    Effect.flatMap(Listener, (listener) => listener.run(serve)),
    layerStdio,
  ),
)
process.exit()
