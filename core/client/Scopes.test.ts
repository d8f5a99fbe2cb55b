/** Resources of a caller after a call of the client are its own: a start must not leave the client's scope behind. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { effect } from "../testing/Effects.ts"
import * as TestServer from "../testing/TestServer.ts"
import * as Dialects from "./Dialects.ts"
import * as ExecClient from "./ExecClient.ts"

/** Makes a client on a fiber of its own, as `connect` does: nothing of it is an ancestor of its callers. */
const apart = <A, E>(make: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.gen(function* () {
    const own = yield* Scope.make()
    yield* Effect.addFinalizer((exit) => Scope.close(own, exit))
    return yield* Effect.promise(() => Effect.runPromise(Scope.provide(make, own)))
  })

/** The current scope is `scope` after the effect, as before. */
const keepsScope = <A, E>(what: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const after = Effect.andThen(what, Effect.scope)
    expect((yield* Scope.provide(after, scope)) === scope).toBe(true)
    yield* Scope.close(scope, Exit.void)
  })

describe("The scope of a caller", () => {
  it(
    "stays the same over a start, and its end terminates the process",
    effect(function* () {
      const { connect, fake } = yield* TestServer.make()
      const client = yield* apart(Effect.flatMap(connect, (transport) => ExecClient.make(transport)))
      yield* keepsScope(client.start({ argv: ["a"] }))
      yield* fake.next
      yield* keepsScope(client.startScoped({ argv: ["b"] }))
      expect((yield* fake.next).kills).toBeGreaterThan(0)
    }),
  )

  it(
    "stays the same over a start of the first wire, and over the first use of a lazy client",
    effect(function* () {
      const { connect } = yield* TestServer.make({}, { dialect: "v0" })
      const client = yield* apart(
        Effect.flatMap(connect, (transport) => Dialects.make(transport, { dialect: "v0" })),
      )
      yield* keepsScope(client.start({ argv: ["a"], cwd: "/tmp", env: {} }))
      const { connect: open } = yield* TestServer.make()
      yield* keepsScope(yield* apart(ExecClient.lazy(open)))
    }),
  )
})
