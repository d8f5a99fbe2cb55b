/** The directory of a router, by its address. What an engine needs is loaded when it is named. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DirectoryService } from "../../../core/directory/Directory.ts"
import * as MemoryDirectory from "../../../core/directory/Memory.ts"
import { invalid, misconfigured, type ServeError } from "../serve/ServeError.ts"

/** Opens it until the scope closes. */
export const open = (url: string): Effect.Effect<DirectoryService, ServeError, Scope.Scope> => {
  if (url === "memory:") return MemoryDirectory.make()
  const opened = <E extends { readonly message: string }>(
    make: Effect.Effect<DirectoryService, E, Scope.Scope>,
  ) => Effect.mapError(make, ({ message }) => misconfigured(`the directory cannot be opened: ${message}`))
  if (/^postgres(ql)?:\/\//.test(url)) {
    const loaded = Effect.promise(() => import("../directory/PostgresDirectory.ts"))
    return opened(Effect.flatMap(loaded, (postgres) => postgres.make({ url })))
  }
  if (/^(nats|tls):\/\//.test(url)) {
    const loaded = Effect.promise(() => import("../directory/NatsDirectory.ts"))
    return opened(Effect.flatMap(loaded, (nats) => nats.make({ url })))
  }
  // The value may have a password.
  return invalid("--directory: expected postgres://USER@HOST/DATABASE, nats://HOST:PORT or memory:")
}
