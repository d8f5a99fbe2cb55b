/** The spawner suite on children of a holder, which can do all that the spawner of the runtime can. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Spawner from "../../../core/spawn/Spawner.ts"
import * as SpawnerSuite from "../../../conformance/spawner/SpawnerSuite.ts"
import { name, platform, unboundCommand } from "../../testing/Runtime.ts"
import * as HeldSpawner from "./HeldSpawner.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "procwire-held-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

const layer = Layer.effect(
  Spawner.Spawner,
  Effect.flatMap(folder, (folder) =>
    Effect.map(
      HeldSpawner.make({
        folder,
        openFfi: platform.openFfi,
        ttlMillis: 86_400_000,
        contain: "none",
        program: (args) => [...unboundCommand, ...args],
      }),
      ({ spawner }) => spawner,
    ),
  ),
)

SpawnerSuite.suite(`the spawner of a holder on ${name}`, layer)
