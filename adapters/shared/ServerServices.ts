/** The services that a server needs, from the runtime and from this machine. */
import * as Layer from "effect/Layer"
import * as Bubblewrap from "./confine/Bubblewrap.ts"
import * as ConfinedFiles from "./confine/ConfinedFiles.ts"
import * as NodeHasher from "./host/NodeHasher.ts"
import * as NodeHistoryFiles from "./host/NodeHistoryFiles.ts"
import * as NodeHost from "./host/NodeHost.ts"
import * as NodeHttpClient from "./http/NodeHttpClient.ts"
import type { Platform } from "./Platform.ts"
import * as ProcessEvidence from "./process/evidence/LinuxEvidence.ts"
import type { Early } from "./start/Early.ts"
import * as SpawnerLayer from "./serve/SpawnerLayer.ts"
import * as XtermTerminals from "./terminal/XtermTerminals.ts"

/** The differences between the program `procwire` and other programs. */
export interface Options {
  /** The path of bubblewrap; the default is `bwrap` in PATH. */
  readonly bwrap?: string | undefined
  /** True if this process is the program `procwire`, which can start itself again in a confinement. */
  readonly isCommand?: boolean
  /** The folder for histories of output; the default is that for temporary files. */
  readonly historyDir?: string | undefined
  /** The start of this process, which may have given out the first session id. */
  readonly early?: Early | undefined
  /** Instead of bubblewrap over the spawner of the runtime. */
  readonly spawner?: SpawnerLayer.SpawnerSource | undefined
}

/** Everything that `ExecServer.make` asks for. */
export const layer = (
  { elsewhere = false, layerSpawner, layerFiles, openFfi }: Platform,
  { bwrap, historyDir, isCommand, spawner, early }: Options = {},
) =>
  Layer.mergeAll(
    spawner !== undefined
      ? SpawnerLayer.over(spawner, layerSpawner)
      : elsewhere
        ? layerSpawner
        : Layer.provide(Bubblewrap.layer({ program: bwrap }), layerSpawner),
    Layer.provide(ConfinedFiles.layer(bwrap, isCommand === true), layerFiles),
    NodeHost.layerHost,
    NodeHost.sessionIds(early),
    NodeHasher.layer,
    NodeHistoryFiles.layer(historyDir),
    elsewhere ? ProcessEvidence.none : ProcessEvidence.layer(openFfi),
    NodeHttpClient.layer,
    XtermTerminals.layer,
  )
