/** The real server with scripted children, in one program with its clients, over transports in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Features from "../features/Features.ts"
import * as Files from "../files/Files.ts"
import * as HistoryFiles from "../features/history/HistoryFiles.ts"
import * as FakeHttp from "../http/Fake.ts"
import { none as noTerminals, Terminals, type TerminalsService } from "../features/screen/Terminals.ts"
import * as ExecServer from "../server/ExecServer.ts"
import { SessionIds } from "../session/SessionIds.ts"
import { defaultOptions } from "../session/SessionRegistry.ts"
import * as Fake from "../spawn/Fake.ts"
import { Host, type HostInfo } from "../spawn/Host.ts"
import { Keeper, type KeeperService } from "../spawn/Keeper.ts"
import * as Spawner from "../spawn/Spawner.ts"
import * as Memory from "../transport/Memory.ts"
import type { Transport } from "../transport/Transport.ts"

export const host: HostInfo = {
  platform: "linux",
  env: { PATH: "/usr/bin:/bin", HOME: "/home/tester" },
  cwd: "/srv",
  home: "/home/tester",
  temp: "/tmp",
  shell: { name: "sh", path: "/bin/sh" },
}

/** Options that differ from the server's defaults. */
export type Settings = Partial<Omit<ExecServer.Options, "limits">> & {
  readonly limits?: Partial<ExecServer.Options["limits"]>
  /** Answers HTTP requests of the server. Default: no origin is reachable. */
  readonly answer?: FakeHttp.Answer
  /** A keeper, and its spawner in place of the fake one. Default: there is none. */
  readonly kept?: { readonly spawner: Spawner.SpawnerService; readonly keeper: KeeperService }
  /** Keeps histories. Default: nothing does. */
  readonly histories?: HistoryFiles.HistoryFilesService
  /** Terminals that paint. Default: there are none. */
  readonly terminals?: TerminalsService
}

export interface TestServer {
  readonly fake: Fake.Fake
  /** A new connection, served until its scope closes. */
  readonly connect: Effect.Effect<Transport, never, Scope.Scope>
  /** Serves a connection that somebody else has made. */
  readonly serve: ExecServer.ExecServer["serve"]
}

/** The real server over a fake spawner. */
export const make = (
  options: Fake.Options = {},
  {
    limits,
    answer,
    kept,
    histories = HistoryFiles.none,
    terminals = noTerminals,
    ...serverOptions
  }: Settings = {},
): Effect.Effect<TestServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Features.loaded
    const fake = yield* Fake.make(options)
    let sessions = 0
    const layer = Layer.mergeAll(
      kept === undefined ? fake.layer : Layer.succeed(Spawner.Spawner, kept.spawner),
      Layer.succeed(Keeper, kept?.keeper),
      Layer.succeed(HistoryFiles.HistoryFiles, histories),
      Files.layerNone,
      FakeHttp.layer(answer),
      Layer.succeed(Host, host),
      Layer.succeed(Terminals, terminals),
      Layer.succeed(SessionIds, {
        next: Effect.sync(() => `00000000-0000-4000-8000-${String((sessions += 1)).padStart(12, "0")}`),
      }),
    )
    const server = yield* ExecServer.make({
      ...defaultOptions,
      version: "0.0.0",
      ...serverOptions,
      limits: { ...defaultOptions.limits, ...limits },
    }).pipe(Effect.provide(layer))
    const connect = Effect.gen(function* () {
      const [left, right] = yield* Memory.makePair()
      yield* Effect.forkScoped(Effect.ensuring(Effect.scoped(server.serve(right)), right.close))
      return left
    })
    return { fake, connect, serve: server.serve }
  })
