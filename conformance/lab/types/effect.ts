/** A program in Effect, on Node: every door with Effect, and those with promises beside them. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Layer from "effect/Layer"
import type { PlatformError } from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { connect, type EffectLayer, serve } from "procwire"
import { runSpawnerSuite } from "procwire/conformance"
import { spawnerSuite } from "procwire/conformance/vitest"
import * as Everything from "procwire/effect"
import * as Agent from "procwire/effect/agent"
import { type ClientError, ExecClient } from "procwire/effect/client"
import * as Conformance from "procwire/effect/conformance"
import * as Vitest from "procwire/effect/conformance/vitest"
import * as Mcp from "procwire/effect/mcp"
import * as Platform from "procwire/effect/platform"
import * as Process from "procwire/effect/process"
import * as Protocol from "procwire/effect/protocol"
import * as Rpc from "procwire/effect/rpc"
import * as Sandbox from "procwire/effect/sandbox"
import * as Server from "procwire/effect/server"
import * as Session from "procwire/effect/session"
import * as Spawn from "procwire/effect/spawn"
import * as Transport from "procwire/effect/transport"
import { wrap } from "procwire/sandbox"
import { same } from "./same.js"

const { layerServer, layerSpawner, makeServer, open } = Everything

declare const listener: Layer.Layer<Transport.Listener.Listener, Transport.Transport.TransportError>

export const modules = [
  Agent,
  Conformance,
  Mcp,
  Process,
  Protocol,
  Rpc,
  Server,
  Session,
  Spawn,
  Transport,
  Vitest,
]

/** The requirements and the errors of an Effect. */
export const effects = Effect.gen(function* () {
  const client = yield* ExecClient.make(open({ inProcess: true }))
  const build = yield* client.start({ argv: ["make"] })
  yield* Stream.runDrain(build.events)
  return yield* build.exitCode
})
same<typeof effects, Effect.Effect<number, ClientError.ClientError, Scope.Scope>>(true)
// @ts-expect-error: it needs a scope
export const unscoped: Promise<number> = Effect.runPromise(effects)

/** The services of the platform, over a client. */
const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner
  return yield* spawner.string(ChildProcess.make("git", ["status"], { cwd: yield* fs.makeTempDirectory() }))
})
same<typeof program, Effect.Effect<string, PlatformError, FileSystem.FileSystem | ChildProcessSpawner>>(true)
const layer = Platform.layer({ url: "ws://127.0.0.1:7000" }, { watchInterval: "1 second" })
same<typeof layer, Layer.Layer<Platform.Services, ClientError.ClientError>>(true)
const remote = Effect.provide(program, layer)
same<typeof remote, Effect.Effect<string, PlatformError | ClientError.ClientError>>(true)
// @ts-expect-error: the services of the client's own host are not `ExecClient`
Platform.layerClient({})

export const wrapped = Sandbox.layerWrap((spec) => ({ ...spec, argv: ["nice", ...spec.argv] })).pipe(
  () => layerSpawner,
)
// @ts-expect-error: argv stays a list
Sandbox.layerWrap((spec) => ({ ...spec, argv: "nice" }))

/** A server, with what only programs in Effect can give it. */
export const server = Effect.gen(function* () {
  const { addresses } = yield* makeServer({
    spawner: Sandbox.layerWrap((spec) => spec),
    listeners: [listener],
    auditLog: { admit: () => Effect.void, note: () => {} },
  })
  return addresses
})
same<typeof server, Effect.Effect<ReadonlyArray<string>, Everything.ServeError, Scope.Scope>>(true)
export const layerOfServer = layerServer({ spawner: layerSpawner })

/** The doors with promises take the layers of those with Effect, and give layers to them. */
export const together = async (): Promise<void> => {
  const layer: EffectLayer = layerSpawner
  await serve({ spawner: layerSpawner, listeners: [listener] })
  const client = await connect({ inProcess: true, spawner: layer })
  await runSpawnerSuite(layerSpawner)
  spawnerSuite("mine", layerSpawner)
  await serve({ spawner: wrap((spec) => spec) })
  same<ReturnType<typeof ExecClient.of>, ExecClient.ExecClient>(true)
  await Effect.runPromise(Effect.scoped(ExecClient.of(client).start({ argv: ["make"] })))
  // @ts-expect-error: what is no client has no effects
  ExecClient.of({})
}

export const patient = ExecClient.make(open({ inProcess: true }), { initializeTimeout: Duration.seconds(5) })
