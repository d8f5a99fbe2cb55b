/** The services that a server needs, from the runtime and from this machine. */
import * as Layer from "effect/Layer"
import type { Spawner } from "../../core/spawn/Spawner.ts"
import * as Bubblewrap from "./confine/Bubblewrap.ts"
import * as ConfinedFiles from "./confine/ConfinedFiles.ts"
import type * as HostSpawner from "./process/HostSpawner.ts"
import * as NodeHost from "./host/NodeHost.ts"
import * as NodeHttpClient from "./http/NodeHttpClient.ts"
import type { Platform } from "./Platform.ts"
import * as SpawnerLayer from "./serve/SpawnerLayer.ts"

/** What differs between the program `procwire` and other programs. */
export interface Options {
  /** The path of bubblewrap; the default is `bwrap` in PATH. */
  readonly bwrap?: string | undefined
  /** True if this process is the program `procwire`, which can start itself again in a confinement. */
  readonly isCommand?: boolean
  /** Instead of bubblewrap over the spawner of the runtime. */
  readonly spawner?: SpawnerLayer.SpawnerSource | undefined
}

/** Everything that `ExecServer.make` asks for. */
export const layer = (platform: Platform, options: Options = {}) =>
  around(platform.layerSpawner, platform, options)

/** The same where descendants are contained as asked; fails if that is impossible. */
export const layerContained = (platform: Platform, choices: HostSpawner.Choices, options: Options = {}) =>
  around(platform.toSpawner(choices), platform, options)

const around = <E>(
  layerSpawner: Layer.Layer<Spawner, E>,
  { layerFiles }: Platform,
  { bwrap, isCommand, spawner }: Options,
) =>
  Layer.mergeAll(
    Layer.provide(
      spawner === undefined ? Bubblewrap.layer({ program: bwrap }) : SpawnerLayer.toLayer(spawner),
      layerSpawner,
    ),
    isCommand === true ? Layer.provide(ConfinedFiles.layer(bwrap), layerFiles) : layerFiles,
    NodeHost.layerHost,
    NodeHost.layerSessionIds,
    NodeHttpClient.layer,
  )
