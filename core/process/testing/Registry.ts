/** A registry over scripted children, as its tests use it. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Fake from "../../spawn/Fake.ts"
import { SpawnError } from "../../spawn/SpawnError.ts"
import { Spawner, type SpawnSpec } from "../../spawn/Spawner.ts"
import * as ProcessRegistry from "../ProcessRegistry.ts"

export const pipe: SpawnSpec = { argv: ["a"], cwd: "/", env: {}, stdio: { kind: "pipe", stdin: true } }
export const noStdin: SpawnSpec = { ...pipe, stdio: { kind: "pipe", stdin: false } }
export const bytes = (text: string) => new TextEncoder().encode(text)
/** A read of everything that does not wait. */
export const now = { afterSeq: 0, maxBytes: Infinity, waitMillis: 0 }

/** A registry over scripted children, in a scope that `close` closes. */
export const make = (options: Fake.Options = {}, change: Partial<ProcessRegistry.Options> = {}) =>
  Effect.gen(function* () {
    const fake = yield* Fake.make(options)
    const spawner = yield* Effect.provide(Spawner, fake.layer)
    const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
    const registry = yield* Scope.provide(
      ProcessRegistry.make(spawner, { ...ProcessRegistry.defaultOptions, ...change }),
      scope,
    )
    return { fake, registry, close: Scope.close(scope, Exit.void) }
  })

/** A registry whose spawns wait until they are let go. */
export const makeSlow = Effect.gen(function* () {
  const gate = yield* Deferred.make<void, SpawnError>()
  return { gate, ...(yield* make({ beforeSpawn: () => Deferred.await(gate) })) }
})

/** A started process and its child. */
export const begin = (
  options: Fake.Options = {},
  spec = pipe,
  change: Partial<ProcessRegistry.Options> = {},
) =>
  Effect.gen(function* () {
    const { fake, registry, close } = yield* make(options, change)
    const process = yield* registry.start("p", spec)
    process.release()
    return { registry, process, child: yield* fake.next, fake, close }
  })

export const gone = new SpawnError({ reason: "NotFound", message: "No such file or directory (os error 2)" })
export const texts = (state: { readonly chunks: ReadonlyArray<{ readonly bytes: Uint8Array }> }) =>
  state.chunks.map((chunk) => String.fromCharCode(...chunk.bytes))
