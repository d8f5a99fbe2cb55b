/** The stdout and stderr of this program, to which `inherit` copies the output of a remote command. */
import process from "node:process"
import * as Effect from "effect/Effect"

/** Completes when the bytes are written, or cannot be: a reader that is gone stops no command. */
export const write = (stream: "stdout" | "stderr", bytes: Uint8Array): Effect.Effect<void> =>
  Effect.async((resume) => {
    process[stream].write(bytes, () => resume(Effect.void))
  })
