/** The pictures that features may ask for; the code that paints them is loaded then. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Process } from "../../process/Process.ts"
import * as Fork from "../../protocol/Fork.ts"
import * as Late from "../Late.ts"
import type { Screens, ScreenRequest } from "./Screens.ts"
import { type ScreenError, Terminals } from "./Terminals.ts"
import type { ScreenResult } from "./wire.ts"

export const code = Late.make(() => import("./Screens.ts"))

export interface Pictures {
  /** True if terminals can be painted. */
  readonly available: boolean
  /** The picture of a process. */
  readonly of: (process: Process, request: ScreenRequest) => Effect.Effect<ScreenResult, ScreenError>
}

/** The pictures of one server, which end with the scope. */
export const make: Effect.Effect<Pictures, never, Scope.Scope> = Effect.gen(function* () {
  const terminals = yield* Terminals
  const fork = yield* Fork.inScope
  let screens: Screens | undefined
  return {
    get available() {
      return terminals.available
    },
    of: (process, request) =>
      Late.use(code, ({ Screens }) => (screens ??= new Screens(terminals, fork)).of(process, request)),
  }
})
