/**
 * The services of `@effect/platform` over a procwire client, on Bun, as `procwire/effect/platform` on Node.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { ClientError } from "../../core/client/ClientError.ts"
import type { Target } from "../shared/Connect.ts"
import { type LayerOptions, makeLayer, type Services } from "../shared/platform/Services.ts"
import * as Program from "../shared/Program.ts"
import { platform } from "./platform.ts"

export { layerClient } from "../shared/platform/Services.ts"
export type { LayerOptions, ServiceOptions, Services } from "../shared/platform/Services.ts"

/** Connects to a server as `connect` does, and gives the services on its host until the layer's scope ends. */
export const layer: (target: Target, options?: LayerOptions) => Layer.Layer<Services, ClientError> =
  makeLayer(Program.make(platform).connect)
