/** A directory in memory: for one machine, for tests, and for the simulation. It ends with its scope. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Book from "./Book.ts"
import { Directory, type DirectoryService } from "./Directory.ts"
import { resolve, type DirectoryOptions } from "./DirectoryOptions.ts"
import * as Steps from "./Steps.ts"

/** A new directory that knows nothing. It takes its time from the clock of Effect. */
export const make = (options?: DirectoryOptions): Effect.Effect<DirectoryService, never, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = resolve(options)
    const keeper = keep(Book.make())
    const tick = Effect.andThen(Effect.sleep(settings.tickMillis), Steps.sweep(keeper, settings))
    yield* Effect.forkScoped(Effect.forever(tick))
    return Steps.service(keeper, settings)
  })

export const layer = (options?: DirectoryOptions): Layer.Layer<Directory> =>
  Layer.effect(Directory, make(options))

/** A step is one synchronous function, so nothing comes between. */
const keep = (book: Book.Book): Steps.Keeper => {
  const waiting = new Set<() => void>()
  const later = (version: number): Effect.Effect<Book.Book> =>
    Effect.callback((resume) => {
      if (book.version > version) return resume(Effect.succeed(book))
      const wake = () => resume(Effect.as(Effect.yieldNow, book))
      waiting.add(wake)
      return Effect.sync(() => waiting.delete(wake))
    })
  return {
    step: (take) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.suspend(() => {
          const before = book.version
          const taken = take(book, now)
          if (book.version > before) {
            const woken = [...waiting]
            waiting.clear()
            for (const wake of woken) wake()
          }
          return Effect.fromResult(taken)
        }),
      ),
    read: Effect.sync(() => book),
    later,
  }
}
