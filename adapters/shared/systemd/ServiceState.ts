/** Reports of a server to systemd: ready, reading its files again, ending. */
import process from "node:process"
import * as Effect from "effect/Effect"
import type { Notify } from "./Notify.ts"

export interface ServiceState {
  readonly ready: (addresses: ReadonlyArray<string>) => Effect.Effect<void>
  /** It runs `reload`, and is ready again. */
  readonly whileReloading: <E, R>(reload: Effect.Effect<void, E, R>) => Effect.Effect<void, E, R>
  /** Another process is the service from now on. */
  readonly passOn: (pid: number) => Effect.Effect<void>
  /** It ends, and its processes have this time. */
  readonly stopping: (graceMillis: number) => Effect.Effect<void>
}

/** The time that the server itself has to end once no process is left. */
const endMillis = 10_000

export const make = (notify: Notify): ServiceState => ({
  ready: (addresses) => notify({ READY: 1, STATUS: `Serving at ${addresses.join(", ")}` }),
  whileReloading: (reload) => {
    // systemd compares this with its own clock, which is the one of `hrtime` on Linux.
    const begin = Effect.suspend(() =>
      notify({ RELOADING: 1, MONOTONIC_USEC: String(process.hrtime.bigint() / 1_000n) }),
    )
    return Effect.andThen(begin, Effect.ensuring(reload, notify({ READY: 1 })))
  },
  passOn: (pid) => notify({ MAINPID: pid }),
  stopping: (graceMillis) =>
    notify({
      STOPPING: 1,
      STATUS: graceMillis > 0 ? `Ending; processes have ${graceMillis} ms` : "Ending",
      EXTEND_TIMEOUT_USEC: (graceMillis + endMillis) * 1_000,
    }),
})
