/** What a server needs around it, from the runtime and from this machine. */
import * as Layer from "effect/Layer"
import * as Bubblewrap from "./confine/Bubblewrap.ts"
import * as ConfinedFiles from "./confine/ConfinedFiles.ts"
import * as NodeHost from "./host/NodeHost.ts"
import * as NodeHttpClient from "./http/NodeHttpClient.ts"
import type { Platform } from "./Platform.ts"

export interface Options {
  /** The path of bubblewrap, if it is not to be looked for. */
  readonly bwrap?: string | undefined
  /** True if this process is the command, and so can be started again in a confinement. */
  readonly isCommand?: boolean
}

export const layer = ({ layerSpawner, layerFiles }: Platform, { bwrap, isCommand }: Options = {}) =>
  Layer.mergeAll(
    Layer.provide(Bubblewrap.layer({ program: bwrap }), layerSpawner),
    isCommand === true ? Layer.provide(ConfinedFiles.layer(bwrap), layerFiles) : layerFiles,
    NodeHost.layerHost,
    NodeHost.layerSessionIds,
    NodeHttpClient.layer,
  )
