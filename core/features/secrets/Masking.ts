/** A spawner whose children tell no secrets: innermost, so that nothing above has their output as it was written. */
import * as Effect from "effect/Effect"
import * as Fork from "../../protocol/Fork.ts"
import { SpawnError } from "../../spawn/SpawnError.ts"
import type { SpawnerService } from "../../spawn/Spawner.ts"
import * as Late from "../Late.ts"
import { redact } from "./Secrets.ts"

/** The byte path of masks: loaded by the first process with a secret. */
export const code = Late.make(() => import("./Mask.ts"))

/**
 * Masks the output of children whose spec has secrets, unless the spawner does, and the texts of errors. Others cost a
 * check for undefined.
 */
export const over = (inner: SpawnerService): SpawnerService => ({
  ...inner,
  spawn: (spec, events) => {
    if (spec.secrets === undefined) return inner.spawn(spec, events)
    const { secrets, ...rest } = spec
    const spawning =
      inner.capabilities.masks === true
        ? inner.spawn(spec, events)
        : Late.use(code, ({ around }) =>
            Effect.gen(function* () {
              const fork = yield* Fork.inScope
              const masked = around(events, secrets, (millis, run) => {
                fork(Effect.andThen(Effect.sleep(millis), Effect.sync(run)))
              })
              return yield* inner.spawn(rest, masked)
            }),
          )
    // The error of a runtime has the arguments, too.
    const told = ({ reason, message }: SpawnError) =>
      new SpawnError({ reason, message: redact(secrets, message) })
    return Effect.mapError(spawning, told)
  },
})

/** The same for a spawner that passes its children on to another program: it masks them, and says so. */
export const before = (inner: SpawnerService): SpawnerService => ({
  ...over(inner),
  capabilities: { ...inner.capabilities, masks: true },
})
