// @ts-check
// Mutations of the floor of a server (`--confine`) and of what keeps to it.
import { elsewhere, one } from "./mutation.mjs"

const floor = "core/protocol/Floor.ts"
const floorTests = ["core/protocol/Floor.test.ts"]
const serverTests = ["core/server/ExecServer.Floor.test.ts"]
const escapes = ["adapters/shared/integration/Escapes.test.ts"]
const bubblewrap = ["adapters/sandbox/Bubblewrap.test.ts"]

export const confine = [
  elsewhere(
    one(floor, "floor.network && asked.network", "asked.network", "a request gets the network back"),
    ...floorTests,
  ),
  elsewhere(
    one(
      floor,
      "layers: [...layersOf(floor), ...layersOf(asked)]",
      "layers: layersOf(asked)",
      "the sandbox of a request replaces the floor",
    ),
    ...floorTests,
  ),
  elsewhere(
    one(
      "core/server/SpawnSpecs.ts",
      "Floor.under(floor, asked.right)",
      "asked.right ?? floor",
      "a start that asks for a sandbox leaves the floor",
    ),
    ...serverTests,
  ),
  elsewhere(
    one(
      "core/server/SandboxedFiles.ts",
      "if (sandbox == null) return yield* under(undefined)",
      "if (sandbox == null) return unconfined",
      "files without a sandbox are free",
    ),
    ...serverTests,
  ),
  elsewhere(
    one(
      "core/server/ExecServer.ts",
      "hasNetwork ? yield* HttpClient : withoutNetwork",
      "yield* HttpClient",
      "a server without a network sends HTTP requests",
    ),
    ...serverTests,
  ),
  elsewhere(
    one(
      "core/server/ExecServer.ts",
      "{ ...allFiles, watches: false }",
      "allFiles",
      "a watch tells of hidden files",
    ),
    ...escapes,
  ),
  elsewhere(
    one(
      "adapters/shared/confine/Wrapped.ts",
      "Mounts.makeAll(Floor.layersOf(confinement))",
      "Mounts.makeAll([confinement])",
      "a place that is a link leads out of the floor",
    ),
    ...escapes,
  ),
  elsewhere(
    one(
      "adapters/shared/confine/Bubblewrap.ts",
      "if (inner.capabilities.confine) return floored(inner, floor)",
      "",
      "a spawner that confines gets nothing to confine",
    ),
    ...bubblewrap,
  ),
  elsewhere(
    one(
      "adapters/shared/confine/Mounts.ts",
      "[...places, ...anchors(places)]",
      "places",
      "a folder above a guarded name is moved away with it",
    ),
    ...bubblewrap,
  ),
  elsewhere(
    one(
      "adapters/shared/serve/Confine.ts",
      'network: names.has("network")',
      'network: !names.has("no-network")',
      "a profile keeps the network unless it says otherwise",
    ),
    "adapters/shared/serve/Confine.test.ts",
  ),
]
