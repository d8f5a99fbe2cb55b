/** Waits for a client that is closed fail with that; an interruption would look like the caller's own. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { SpawnError } from "../spawn/SpawnError.ts"
import { effect, settle } from "../testing/Effects.ts"
import { TestNetwork } from "../testing/TestNetwork.ts"
import * as TestServer from "../testing/TestServer.ts"
import * as Dialects from "./Dialects.ts"
import * as ExecClient from "./ExecClient.ts"

const missing = new SpawnError({ reason: "NotFound", message: "No such file or directory (os error 2)" })

describe("A client that is closed", () => {
  it(
    "fails a start whose failure it was about to explain",
    effect(function* () {
      const server = yield* TestServer.make({ beforeSpawn: () => Effect.fail(missing) })
      const network = new TestNetwork(server, yield* Effect.scope)
      network.toServer = (text) => (text.includes("fs/getMetadata") ? undefined : text)
      const own = yield* Scope.make()
      const client = yield* Scope.provide(ExecClient.make(network.open), own)
      yield* Effect.forkChild(Effect.andThen(client.disconnected, Scope.close(own, Exit.void)))
      const starting = yield* Effect.forkChild(Effect.flip(client.start({ argv: ["nothing"] })))
      yield* settle
      yield* network.cut
      expect((yield* Fiber.join(starting)).reason).toBe("Disconnected")
    }),
  )

  it(
    "fails a start of the first wire that has no answer",
    effect(function* () {
      const server = yield* TestServer.make({ beforeSpawn: () => Effect.never }, { dialect: "v0" })
      const own = yield* Scope.make()
      const make = Effect.flatMap(server.connect, (transport) => Dialects.make(transport, { dialect: "v0" }))
      const client = yield* Scope.provide(make, own)
      const starting = yield* Effect.forkChild(
        Effect.flip(client.start({ argv: ["a"], cwd: "/tmp", env: {} })),
      )
      yield* settle
      yield* Scope.close(own, Exit.void)
      expect((yield* Fiber.join(starting)).reason).toBe("Disconnected")
    }),
  )

  it(
    "fails the first use of one that was still connecting",
    effect(function* () {
      const own = yield* Scope.make()
      const get = yield* Scope.provide(ExecClient.lazy(Effect.never), own)
      const using = yield* Effect.forkChild(Effect.flip(get))
      yield* settle
      yield* Scope.close(own, Exit.void)
      expect((yield* Fiber.join(using)).reason).toBe("Disconnected")
    }),
  )

  it(
    "tells all who wait for its end, also behind one that has given up",
    effect(function* () {
      const servers = [yield* TestServer.make(), yield* TestServer.make({}, { dialect: "v0" })] as const
      const [transport, older] = [yield* servers[0].connect, yield* servers[1].connect]
      const ends = [
        Effect.map(ExecClient.make(transport), ({ disconnected }) => disconnected),
        Effect.map(Dialects.make(older, { dialect: "v0" }), ({ disconnected }) => disconnected),
      ]
      for (const make of ends) {
        const own = yield* Scope.make()
        const disconnected = yield* Scope.provide(make, own)
        const first = yield* Effect.forkChild(disconnected)
        const second = yield* Effect.forkChild(disconnected)
        yield* settle
        yield* Fiber.interrupt(first)
        yield* Scope.close(own, Exit.void)
        const errors = [yield* Fiber.join(second), yield* disconnected]
        expect(errors.map(({ reason }) => reason)).toEqual(["Disconnected", "Disconnected"])
      }
    }),
  )
})
