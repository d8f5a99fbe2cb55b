/** What a server needs around it, from the runtime and from this machine. */
import * as Layer from "effect/Layer"
import * as NodeHost from "./NodeHost.ts"
import * as NodeHttpClient from "./http/NodeHttpClient.ts"
import type { Platform } from "./Platform.ts"

export const layer = ({ layerSpawner, layerFiles }: Platform) =>
  Layer.mergeAll(layerSpawner, layerFiles, NodeHost.layerHost, NodeHost.layerSessionIds, NodeHttpClient.layer)
