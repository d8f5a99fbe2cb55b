/** The flags that end a server other than by a signal, and that grant its processes time to end. */
import process from "node:process"
import * as Effect from "effect/Effect"

export const flags = {
  "grace-ms": { type: "string" },
  "exit-on-stdin-close": { type: "boolean" },
} as const

/** 0: processes are killed at once, as by the peer implementation. */
export const defaultGraceMillis = 0

export const help = `\
  --grace-ms N               how long processes may take to end after SIGTERM when the server is asked to end;
                             then they are killed [default: ${defaultGraceMillis}: killed at once]
  --exit-on-stdin-close      end when stdin closes, as it does when the parent dies; what comes there is dropped
`

/** Completes at EOF on stdin. */
export const stdinClosed: Effect.Effect<void> = Effect.async((resume) => {
  const end = () => resume(Effect.void)
  for (const event of ["end", "close", "error"]) process.stdin.once(event, end)
  process.stdin.resume()
  return Effect.sync(() => process.stdin.pause())
})
