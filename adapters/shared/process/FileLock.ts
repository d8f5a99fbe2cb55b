/**
 * The lock of a file among processes, by `flock`: the system gives it back however its holder ends. The file is there
 * only while somebody wants the lock.
 */
import * as fs from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Flock from "./Flock.ts"
import type { Ffi } from "./posix/Ffi.ts"

/** The pause between two tries: a blocking call would stop everything else in this process. */
const pause = "20 millis"

/** Takes the lock until the scope closes. Where `flock` cannot be called there is none. */
export const take = (file: string, openFfi: () => Ffi): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const flock = Flock.bind(openFfi)
    if (flock === undefined) return
    const attempt = () => {
      const fd = fs.openSync(file, "a", 0o600)
      const there = () => fs.statSync(file, { throwIfNoEntry: false })
      if (flock(fd, Flock.LOCK_EX | Flock.LOCK_NB) === 0 && Flock.isOpen(there(), fd)) return fd
      fs.closeSync(fd)
      return undefined
    }
    const release = (fd: number) =>
      Effect.sync(() => {
        fs.rmSync(file, { force: true })
        fs.closeSync(fd)
      })
    for (;;) {
      const taken = yield* Effect.uninterruptible(
        Effect.gen(function* () {
          const fd = attempt()
          if (fd !== undefined) yield* Effect.addFinalizer(() => release(fd))
          return fd !== undefined
        }),
      )
      if (taken) return
      yield* Effect.sleep(pause)
    }
  })
