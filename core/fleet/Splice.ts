/**
 * Two connections as one: what comes on either goes out on the other, message by message and as it is. Who reads
 * slowly slows the sender down, in both directions. It ends when either connection ends, and with it the other one.
 * A connection that can pass bytes on does so, without an effect or a text for each message: whether they are UTF-8
 * is looked at where they are read.
 */
import * as Effect from "effect/Effect"
import type { Transport } from "../transport/Transport.ts"

/** Passes messages on until one of the two has ended; what has come from it before is passed on first. */
export const splice = (one: Transport, other: Transport): Effect.Effect<void> =>
  Effect.raceFirst(pump(one, other), pump(other, one)).pipe(
    Effect.ensuring(Effect.zip(one.close, other.close, { concurrent: true })),
  )

const pump = (from: Transport, to: Transport): Effect.Effect<void> =>
  Effect.gen(function* () {
    const room = yield* Effect.makeLatch(true)
    let resume = () => {}
    to.onDrain(() => {
      room.unsafeOpen()
      resume()
    })
    for (;;) {
      const passing = from.passOn?.(to.write)
      if (passing !== undefined) {
        resume = passing
        return yield* from.incoming.await
      }
      const [messages, done] = yield* from.incoming.takeAll
      for (const message of messages) {
        if (to.write(message)) continue
        room.unsafeClose()
        yield* room.await
      }
      if (done) return
    }
  }).pipe(Effect.ignore)
