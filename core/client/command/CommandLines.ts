/** The lines of a command, as it prints them. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Mailbox from "effect/Mailbox"
import { givenUp } from "../GivingUp.ts"
import * as Pipeline from "../Pipeline.ts"
import { steps } from "../Promises.ts"
import { type LineOptions, TextLines } from "../TextLines.ts"

/** Runs the stages, and gives the lines of the last one. It waits while nobody takes them. */
export async function* lines(
  stages: ReadonlyArray<Pipeline.Stage>,
  { maxLineLength, ...how }: LineOptions = {},
): AsyncGenerator<string, void, void> {
  const step = steps(Object.keys(how).length === 0 ? undefined : how)
  const text = new TextLines(maxLineLength)
  const pieces = await step(Mailbox.make<Uint8Array>({ capacity: 1 }))
  const running = Effect.runFork(
    Effect.ensuring(
      Pipeline.run(stages, (bytes) => pieces.offer(bytes)),
      pieces.end,
    ),
  )
  try {
    for (let over = false; !over;) {
      const [batch, done] = await step(stoppable(stages, pieces.takeAll))
      for (const bytes of batch) yield* text.push(bytes)
      over = done
    }
    yield* text.end()
    await step(stoppable(stages, Effect.flatten(Fiber.await(running))))
  } finally {
    Effect.runFork(Fiber.interrupt(running))
  }
}

/** The effect, given up by the signals of all stages. */
export const stoppable = <A, E>(
  stages: ReadonlyArray<Pipeline.Stage>,
  effect: Effect.Effect<A, E>,
): Effect.Effect<A, unknown> => {
  const signals = new Set(stages.map(({ options }) => options.signal))
  return [...signals].reduce<Effect.Effect<A, unknown>>((made, signal) => givenUp(made, { signal }), effect)
}
