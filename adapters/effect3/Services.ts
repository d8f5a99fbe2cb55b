/** The services of `@effect/platform` over a client, as layers. */
import { CommandExecutor } from "@effect/platform/CommandExecutor"
import { FileSystem } from "@effect/platform/FileSystem"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { HttpClient, transform } from "@effect/platform/HttpClient"
import { layer as layerPosix, Path } from "@effect/platform/Path"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Client, ClientError, ConnectOptions, Target, ToClient } from "../node/index.ts"
import * as RemoteFetch from "../shared/platform/RemoteFetch.ts"
import * as Paths from "./Paths.ts"
import * as RemoteCommands from "./RemoteCommands.ts"
import * as RemoteFileSystem from "./RemoteFileSystem.ts"

/** The services of `@effect/platform` that a client gives. */
export type Services = CommandExecutor | FileSystem | Path | HttpClient

/** Options of the services. */
export interface ServiceOptions {
  /** The pause between looks of `FileSystem.watch`; from 10 milliseconds. Numbers are milliseconds. Default: 500 milliseconds. */
  readonly watchInterval?: Duration.DurationInput
}

/** Options of `layer`: those of `connect`, and those of the services. */
export interface LayerOptions extends ConnectOptions, ServiceOptions {}

/** The services over a client in promises, which stays open when the layer ends. */
export const layerClient = (client: Client, options: ServiceOptions = {}): Layer.Layer<Services> =>
  Layer.effectContext(
    Effect.gen(function* () {
      return Context.make(CommandExecutor, RemoteCommands.make(client)).pipe(
        Context.add(FileSystem, RemoteFileSystem.make(client, options.watchInterval ?? 500)),
        Context.add(Path, Paths.make(client, yield* Path)),
        Context.add(HttpClient, yield* httpClient(client)),
      )
    }),
  ).pipe(Layer.provide(layerPosix))

/** The client over `fetch`, with a `fetch` of the server. */
const httpClient = ({ http }: Client): Effect.Effect<HttpClient> =>
  HttpClient.pipe(
    Effect.map(transform(Effect.provideService(FetchHttpClient.Fetch, RemoteFetch.make(http)))),
    Effect.provide(FetchHttpClient.layer),
  )

/** Makes `layer` of a runtime. */
export const makeLayer =
  (connect: ToClient) =>
  (target: Target, options: LayerOptions = {}): Layer.Layer<Services, ClientError> => {
    const { watchInterval, ...connecting } = options
    const opened: Effect.Effect<Client, ClientError> = Effect.tryPromise({
      try: () => connect(target, connecting),
      catch: (error) => error as ClientError,
    })
    return Layer.unwrapScoped(
      Effect.map(
        Effect.acquireRelease(opened, (client) => Effect.promise(() => client.close())),
        (client) => layerClient(client, watchInterval === undefined ? {} : { watchInterval }),
      ),
    )
  }
