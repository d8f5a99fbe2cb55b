/** What a server needs around it, from the runtime and from this machine. */
import * as Layer from "effect/Layer"
import * as Bubblewrap from "./confine/Bubblewrap.ts"
import * as NodeHost from "./NodeHost.ts"
import * as NodeHttpClient from "./http/NodeHttpClient.ts"
import type { Platform } from "./Platform.ts"

export interface Options {
  /** The path of bubblewrap, if it is not to be looked for. */
  readonly bwrap?: string | undefined
}

export const layer = ({ layerSpawner, layerFiles }: Platform, { bwrap }: Options = {}) =>
  Layer.mergeAll(
    Layer.provide(Bubblewrap.layer({ program: bwrap }), layerSpawner),
    layerFiles,
    NodeHost.layerHost,
    NodeHost.layerSessionIds,
    NodeHttpClient.layer,
  )
