/** The services of Effect's platform over a client, as layers. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { FileSystem } from "effect/FileSystem"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { HttpClient, transform } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { layer as layerPosix, Path } from "effect/Path"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type { Client } from "../../../core/client/Client.ts"
import { toClientHttp } from "../../../core/client/ClientHttp.ts"
import type { ClientError } from "../../../core/client/ClientError.ts"
import type { CurrentOptions } from "../../../core/client/Dialects.ts"
import type { ExecClient } from "../../../core/client/ExecClient.ts"
import type { Target } from "../Connect.ts"
import type { ToClient } from "../Program.ts"
import * as RemoteCommands from "./RemoteCommands.ts"
import * as RemoteFileSystem from "./RemoteFileSystem.ts"
import * as RemoteFetch from "./RemoteFetch.ts"
import * as RemotePath from "../../../core/client/RemotePath.ts"

/** The services that a client gives. */
export type Services = ChildProcessSpawner | FileSystem | Path | HttpClient

/** Options of the services. */
export interface ServiceOptions {
  /** The pause between looks of `FileSystem.watch`; from 10 milliseconds. Numbers are milliseconds. Default: 500 milliseconds. */
  readonly watchInterval?: Duration.Input
}

/** Options of `layer`: those of `connect`, and those of the services. */
export interface LayerOptions extends CurrentOptions, ServiceOptions {}

/** The services over a client, which stays open when the layer ends. */
export const layerClient = (client: ExecClient, options: ServiceOptions = {}): Layer.Layer<Services> =>
  Layer.effectContext(
    Effect.gen(function* () {
      return Context.make(ChildProcessSpawner, RemoteCommands.make(client)).pipe(
        Context.add(FileSystem, RemoteFileSystem.make(client, options.watchInterval ?? 500)),
        Context.add(Path, yield* makePaths(client)),
        Context.add(HttpClient, yield* makeHttpClient(client)),
      )
    }),
  )

/** The client over `fetch`, with a `fetch` of the server. */
const makeHttpClient = ({ http }: ExecClient): Effect.Effect<HttpClient> =>
  HttpClient.pipe(
    Effect.map(transform(Effect.provideService(FetchHttpClient.Fetch, RemoteFetch.make(toClientHttp(http))))),
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
    return Layer.unwrap(
      Effect.map(
        Effect.acquireRelease(opened, (client) => Effect.promise(() => client.close())),
        (client) => layerClient(client.effect, watchInterval === undefined ? {} : { watchInterval }),
      ),
    )
  }

/** Paths as the server of `client` reads them. */
const makePaths = ({ environmentInfo }: ExecClient): Effect.Effect<Path> =>
  Effect.scoped(
    Effect.map(Layer.build(layerPosix), (built) => {
      const posix = Context.get(built, Path)
      const cwd = RemotePath.toNative(environmentInfo.cwd ?? "file:///", environmentInfo)
      const resolve = (...segments: ReadonlyArray<string>) => posix.resolve(cwd, ...segments)
      return {
        ...posix,
        resolve,
        relative: (from, to) => posix.relative(resolve(from), resolve(to)),
        toFileUrl: (path) => posix.toFileUrl(path.endsWith("/") ? `${resolve(path)}/` : resolve(path)),
      }
    }),
  )
