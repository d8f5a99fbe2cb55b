/**
 * The services of `@effect/platform` for programs on Effect 3: `CommandExecutor`, `FileSystem`, `Path` and
 * `HttpClient` over the client in promises. A program that runs commands and uses files through them does so on another
 * host by one `Effect.provide`. Programs on Effect 4 have `procwire/effect/platform`.
 *
 * @example
 * ```ts
 * import { Command } from "@effect/platform"
 * import * as Effect from "effect/Effect"
 * import { layer } from "procwire/effect3"
 *
 * const status = Command.make("git", "status").pipe(Command.workingDirectory("/srv/app"), Command.string)
 * console.log(await Effect.runPromise(Effect.provide(status, layer({ url: "ws://127.0.0.1:7000" }))))
 * ```
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import { type ClientError, connect, type Target } from "../node/index.ts"
import { type LayerOptions, makeLayer, type Services } from "./Services.ts"

export { layerClient } from "./Services.ts"
export type { LayerOptions, ServiceOptions, Services } from "./Services.ts"

/** Connects to a server as `connect` does, and gives the services on its host until the layer's scope ends. */
export const layer: (target: Target, options?: LayerOptions) => Layer.Layer<Services, ClientError> =
  makeLayer(connect)
