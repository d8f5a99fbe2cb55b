/**
 * Ways to the ports of children on Linux. The code is loaded with the first one.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ports from "../../../core/spawn/ProcessPorts.ts"
import { Spawner } from "../../../core/spawn/Spawner.ts"
import type { Ffi } from "../process/posix/Ffi.ts"

/** The service, for children on this host; what it starts ends with the layer. */
export const layer = (openFfi: () => Ffi, isCommand: boolean): Layer.Layer<never, never, Spawner> =>
  Layer.effect(
    Ports.ProcessPorts,
    Effect.map(Spawner, (spawner) => ({
      available: process.platform === "linux",
      open: (look) =>
        Effect.gen(function* () {
          const [Listener, Within] = yield* Effect.promise(() =>
            Promise.all([import("./Listener.ts"), import("./Within.ts")]),
          )
          return yield* Listener.open(look, Within.make({ spawner, openFfi, isCommand }))
        }),
    })),
  )

export const none: Layer.Layer<never> = Layer.succeed(Ports.ProcessPorts, Ports.none)
