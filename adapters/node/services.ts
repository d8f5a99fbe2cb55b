/**
 * The services of `@effect/platform` over a procwire client: `CommandExecutor`, `FileSystem`, `Path` and
 * `HttpClient`. A program that runs commands and uses files through them does so on another host by one
 * `Effect.provide`. It needs the package `@effect/platform`, which procwire does not install.
 *
 * @example
 * ```ts
 * import { Command } from "@effect/platform"
 * import * as Effect from "effect/Effect"
 * import { layer } from "procwire/effect/platform"
 *
 * const status = Command.make("git", "status").pipe(Command.workingDirectory("/srv/app"), Command.string)
 * console.log(await Effect.runPromise(Effect.provide(status, layer({ url: "ws://127.0.0.1:7000" }))))
 * ```
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { ClientError } from "../../core/client/ClientError.ts"
import type { Target } from "../shared/Connect.ts"
import { type LayerOptions, makeLayer, type Services } from "../shared/platform/Services.ts"
import * as Program from "../shared/Program.ts"
import { platform } from "../shared/HostPlatform.ts"

export { layerClient } from "../shared/platform/Services.ts"
export type { LayerOptions, ServiceOptions, Services } from "../shared/platform/Services.ts"

/** Connects to a server as `connect` does, and gives the services on its host until the layer's scope ends. */
export const layer: (target: Target, options?: LayerOptions) => Layer.Layer<Services, ClientError> =
  makeLayer(Program.make(platform).connect)
