/** The directory of a router, by its address. What an engine needs is loaded when it is named. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DirectoryService } from "../../../core/directory/Directory.ts"
import * as MemoryDirectory from "../../../core/directory/Memory.ts"
import { invalid, misconfigured, type ServeError } from "../serve/ServeError.ts"

/** Opens it until the scope closes. */
export const open = (url: string): Effect.Effect<DirectoryService, ServeError, Scope.Scope> => {
  if (url === "memory:") return MemoryDirectory.make()
  if (/^postgres(ql)?:\/\//.test(url))
    return Effect.promise(() => import("../directory/PostgresDirectory.ts")).pipe(
      Effect.flatMap((postgres) => postgres.make({ url })),
      Effect.mapError(({ message }) => misconfigured(`the directory cannot be opened: ${message}`)),
    )
  // The value may have a password.
  return invalid("--directory: expected postgres://USER@HOST/DATABASE or memory:")
}
