/**
 * Two connections as one: messages are forwarded unchanged, one by one. A slow reader slows the sender down, in both
 * directions. It ends when either connection ends, and with it the other one.
 *
 * Lines become one, and need no effect, no fiber and no text from then on: whether bytes are UTF-8 is looked at where
 * they are read. Of ten thousand sessions on a router these are most of the memory.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Transport } from "../transport/Transport.ts"

/**
 * Passes messages on until one of the two has ended, and then calls `ended`; what has come from it before is passed on
 * first. If they have become one line, the effect is done at once.
 */
export const splice = (one: Transport, other: Transport, ended: () => void): Effect.Effect<void> =>
  Effect.gen(function* () {
    const [there, back] = [yield* passing(one, other), yield* passing(other, one)]
    const { line } = other
    for (;;) {
      const joined = line && one.line?.join(line, ended)
      if (joined === true) return
      if (joined === undefined) break
      if (waits(one)) yield* Effect.ignore(there)
      if (waits(other)) yield* Effect.ignore(back)
      yield* Effect.yieldNow
    }
    yield* Effect.raceFirst(Effect.forever(there), Effect.forever(back)).pipe(
      Effect.ensuring(Effect.zip(one.close, other.close, { concurrent: true })),
      Effect.ensuring(Effect.sync(ended)),
    )
  }).pipe(Effect.ignore)

const waits = ({ incoming }: Transport): boolean => (incoming.size() ?? 0) > 0

/** Passes on what has come, at least one message; fails when no more will come. */
const passing = (from: Transport, to: Transport) =>
  Effect.map(Latch.make(true), (room) => {
    to.onDrain(() => room.openUnsafe())
    return Effect.gen(function* () {
      const [messages, done] = yield* from.incoming.takeAll
      for (const message of messages) {
        if (to.write(message)) continue
        room.closeUnsafe()
        yield* room.await
      }
      if (done) return yield* Effect.fail("over")
    })
  })
