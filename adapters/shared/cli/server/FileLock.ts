/**
 * A lock that only one process of this machine has, and that the kernel gives back when its holder dies (`flock`).
 *
 * Where the C library cannot be called there is no lock: what it guards has to be safe without it.
 */
import * as fs from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Ffi } from "../../process/posix/Ffi.ts"

/** sys/file.h. */
const LOCK_EX = 2
const LOCK_NB = 4

/** How long to wait between two tries: the call itself would stop everything else in this process. */
const pause = "20 millis"

/** Takes the lock of a file, which is made if it is not there, until the scope closes. */
export const take = (file: string, openFfi: () => Ffi): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const flock = bind(openFfi)
    if (flock === undefined) return
    const fd = yield* Effect.acquireRelease(
      Effect.sync(() => fs.openSync(file, "a", 0o600)),
      (opened) => Effect.sync(() => fs.closeSync(opened)),
    )
    while (flock(fd, LOCK_EX | LOCK_NB) !== 0) yield* Effect.sleep(pause)
  })

const bind = (openFfi: () => Ffi): ((fd: number, operation: number) => number) | undefined => {
  try {
    return openFfi().bind("flock", ["int", "int"])
  } catch {
    return undefined
  }
}
