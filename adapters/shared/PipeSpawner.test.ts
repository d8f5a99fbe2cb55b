/** The spawner suite on the portable spawner, with what `node:child_process` cannot do. */
import * as Layer from "effect/Layer"
import * as Spawner from "../../core/spawn/Spawner.ts"
import * as SpawnerSuite from "../../conformance/spawner/SpawnerSuite.ts"
import * as PipeSpawner from "./PipeSpawner.ts"

const layer = Layer.succeed(Spawner.Spawner, PipeSpawner.make({ add: () => {}, remove: () => {} }))

SpawnerSuite.suite("the portable spawner", layer, {
  known: {
    "spawner/output/reopened-by-the-child": "its pipes are socket pairs",
    "spawner/exit/real-time-signal": "Node tells such a death as exit code 0",
    "spawner/errors/program-of-no-format": "execvp gives the file to a shell",
  },
})
