/** The end of stdin, which comes when the parent of this process dies. */
import process from "node:process"
import * as Effect from "effect/Effect"

/** Completes at EOF on stdin. */
export const stdinClosed: Effect.Effect<void> = Effect.async((resume) => {
  const end = () => resume(Effect.void)
  for (const event of ["end", "close", "error"]) process.stdin.once(event, end)
  process.stdin.resume()
  return Effect.sync(() => process.stdin.pause())
})
