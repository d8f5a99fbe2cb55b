/**
 * The spawner suite on a wrapped spawner, with a command that every Linux has. Left out are the cases that take long
 * because they repeat: output and exit are those of the inner spawner.
 */
import { getPriority } from "node:os"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, test } from "vitest"
import * as Spawner from "../../core/spawn/Spawner.ts"
import * as SpawnerSuite from "../../conformance/spawner/SpawnerSuite.ts"
import { layerSpawner } from "../shared/HostPlatform.ts"
import * as TestChild from "../shared/testing/TestChild.ts"
import { layerWrap } from "./Wrap.ts"

const layerNice = layerWrap((spec) => ({ ...spec, argv: ["/usr/bin/nice", "-n", "5", ...spec.argv] })).pipe(
  Layer.provide(layerSpawner),
)

SpawnerSuite.suite("every child under nice", layerNice, {
  except: ["spawner/output/no-byte-lost-*", "spawner/load/nothing-is-left*"],
  known: { "spawner/errors/program-of-no-format": "execvp, which nice calls, gives the file to a shell" },
})

test("the command is wrapped around every child, on pipes and on a PTY", () =>
  Effect.gen(function* () {
    const spawner = yield* Spawner.Spawner
    for (const pty of [true, false]) {
      const child = yield* Effect.promise(() => TestChild.run(spawner, { argv: ["nice"], pty }))
      expect(child.text(pty ? "pty" : "stdout").trim()).toBe(String(Math.min(19, getPriority() + 5)))
    }
  }).pipe(Effect.provide(layerNice), Effect.runPromise))
