/** The option `contain`: what keeps the descendants of children together, of a server and of one in this process. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Platform } from "../Platform.ts"
import type { Choices } from "../process/HostSpawner.ts"
import { misconfigured, type ServeError } from "./ServeError.ts"

/**
 * The platform whose spawner contains descendants; it lives as long as the scope. The default is `auto`. Errors begin
 * with `label`.
 */
export const apply = (
  platform: Platform,
  { contain = "auto", ...rest }: Choices,
  label: string,
): Effect.Effect<Platform, ServeError, Scope.Scope> =>
  Layer.build(platform.toSpawner({ contain, ...rest })).pipe(
    Effect.map((built) => ({ ...platform, layerSpawner: Layer.succeedContext(built) })),
    Effect.mapError(({ choice, message }) => {
      const remedy = "use auto for what works, or none for process groups only"
      return misconfigured(`${label} ${choice}: ${message}; ${remedy}`)
    }),
  )
