/** The spawner suite on the portable spawner, with what `node:child_process` cannot do. */
import * as Layer from "effect/Layer"
import * as Spawner from "../../../core/spawn/Spawner.ts"
import * as SpawnerSuite from "../../../conformance/spawner/SpawnerSuite.ts"
import { name } from "../../testing/Runtime.ts"
import * as LeaderlessGroups from "./LeaderlessGroups.ts"
import * as PortableSpawner from "./PortableSpawner.ts"

const layer = Layer.succeed(
  Spawner.Spawner,
  PortableSpawner.make({
    groups: { starting: () => {}, add: () => {}, remove: () => {} },
    leaderless: LeaderlessGroups.make(),
  }),
)

const options = {
  Node: {
    known: {
      "spawner/output/reopened-by-the-child": "its pipes are socket pairs",
      "spawner/exit/real-time-signal": "Node tells such a death as exit code 0",
      "spawner/errors/program-of-no-format": "execvp gives the file to a shell",
    },
  },
  Bun: {
    known: {
      "spawner/output/reopened-by-the-child": "its pipes are socket pairs",
      "spawner/exit/real-time-signal": "Bun tells such a death as exit code 0",
    },
    // Bun tells nobody that a child has closed its stdin.
    except: ["spawner/stdin/closed-by-the-child"],
  },
  Deno: {
    known: { "spawner/errors/program-of-no-format": "execvp gives the file to a shell" },
    // Deno ends this process with an uncaught error instead of telling such a death.
    except: ["spawner/exit/real-time-signal"],
  },
}

SpawnerSuite.suite("the portable spawner", layer, options[name])
