/** The services that a server needs, from the runtime and from this machine. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Bubblewrap from "./confine/Bubblewrap.ts"
import * as ConfinedFiles from "./confine/ConfinedFiles.ts"
import type { MakeOutlets } from "./egress/namespace/Outlets.ts"
import * as NodeHasher from "./host/NodeHasher.ts"
import * as NodeHistoryFiles from "./host/NodeHistoryFiles.ts"
import * as NodeHost from "./host/NodeHost.ts"
import * as NodeHttpClient from "./http/NodeHttpClient.ts"
import type { Platform } from "./Platform.ts"
import * as LinuxPorts from "./port/LinuxPorts.ts"
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
  /** True if processes may have egress rules: the spawner has the capability for them where this machine has. */
  readonly egress?: boolean | undefined
  /** The folder for histories of output; the default is that for temporary files. */
  readonly historyDir?: string | undefined
  /** The state folder of the holder of processes, if the server has one. */
  readonly keepDir?: string | undefined
  /** The start of this process, which may have given out the first session id. */
  readonly early?: Early | undefined
  /** Instead of bubblewrap over the spawner of the runtime. */
  readonly spawner?: SpawnerLayer.SpawnerSource | undefined
}

/** Everything that `ExecServer.make` asks for. */
export const layer = (
  { elsewhere = false, layerSpawner, layerFiles, openFfi }: Platform,
  { bwrap, egress, historyDir, keepDir, isCommand, spawner, early }: Options = {},
) =>
  Layer.mergeAll(
    spawner !== undefined
      ? SpawnerLayer.over(spawner, layerSpawner)
      : elsewhere
        ? layerSpawner
        : Layer.provide(
            Bubblewrap.layerWith(
              { program: bwrap, openFfi },
              egress === true ? makeOutlets(openFfi, isCommand === true) : undefined,
            ),
            layerSpawner,
          ),
    Layer.provide(ConfinedFiles.layer(bwrap, isCommand === true), layerFiles),
    NodeHost.layerHost,
    NodeHost.sessionIds(early),
    NodeHasher.layer,
    NodeHistoryFiles.layer(historyDir, keepDir),
    elsewhere ? ProcessEvidence.none : ProcessEvidence.layer(openFfi),
    elsewhere ? LinuxPorts.none : Layer.provide(LinuxPorts.layer(openFfi, isCommand === true), layerSpawner),
    NodeHttpClient.layer,
    XtermTerminals.layer,
  )

/** The making of the ways out of processes with egress rules: who has none does not load it. */
const makeOutlets =
  (openFfi: Platform["openFfi"], isCommand: boolean): MakeOutlets =>
  (parts) =>
    Effect.flatMap(
      Effect.promise(() => import("./egress/namespace/Outlets.ts")),
      (Outlets) => {
        const loadProxy = () => import("./egress/Proxy.ts").then((Proxy) => Proxy.make)
        return Outlets.make({ openFfi, isCommand, loadProxy }, parts)
      },
    )
