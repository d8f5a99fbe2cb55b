/** A program on Node: every export of the package, and no type of a browser. */
import * as Command from "@effect/platform/Command"
import * as FileSystem from "@effect/platform/FileSystem"
import type { CommandExecutor } from "@effect/platform/CommandExecutor"
import type { PlatformError } from "@effect/platform/Error"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Everything from "procwire"
import type { connect as byDefault } from "procwire"
import * as Acp from "procwire/acp"
import * as Agent from "procwire/agent"
import type * as Bun from "procwire/bun"
import { type ClientError, ExecClient } from "procwire/client"
import type * as Deno from "procwire/deno"
import * as Conformance from "procwire/conformance"
import * as Mcp from "procwire/mcp"
import { connect, layerSpawner, open, serve } from "procwire/node"
import * as Platform from "procwire/platform"
import * as Process from "procwire/process"
import * as Protocol from "procwire/protocol"
import * as Rpc from "procwire/rpc"
import type * as Runtime from "procwire/runtime"
import * as Sandbox from "procwire/sandbox"
import * as Server from "procwire/server"
import * as Session from "procwire/session"
import * as Spawn from "procwire/spawn"
import * as Transport from "procwire/transport"
import * as Web from "procwire/web"
import { same } from "./same.js"

export const modules = [
  Everything,
  Acp,
  Agent,
  Conformance,
  Mcp,
  Process,
  Protocol,
  Rpc,
  Server,
  Session,
  Spawn,
]
export const more = [Transport, Web]

same<typeof byDefault, typeof connect>(true)
same<typeof Runtime.connect, typeof connect>(true)
same<typeof Bun.connect, typeof connect>(true)
same<typeof Deno.serve, typeof serve>(true)

/** The ways to a server. */
export const targets = async (): Promise<void> => {
  await connect({ url: "unix:/run/procwire.sock" })
  await connect({ url: "wss://host", token: "t", headers: { a: "b" } })
  await connect({ command: "ssh", args: ["host", "procwire", "serve", "--listen", "stdio"], env: { A: "1" } })
  await connect({ inProcess: true, spawner: "nice:5", contain: "cgroup" })
  // @ts-expect-error: not a way
  await connect({ socket: "/run/procwire.sock" })
  // @ts-expect-error: what keeps descendants together is one of five
  await connect({ inProcess: true, contain: "docker" })
}

/** A server in a program. */
export const server = async (): Promise<void> => {
  const running = await serve({ listen: ["ws://127.0.0.1:0"], limits: { processes: 100 } })
  same<typeof running.addresses, ReadonlyArray<string>>(true)
  await running.close({ graceMs: 5000 })
  // @ts-expect-error: a misspelt limit
  await serve({ limits: { proceses: 100 } })
  // @ts-expect-error: a limit is a number
  await serve({ limits: { processes: "100" } })
  // @ts-expect-error: a misspelt option
  await serve({ listn: "stdio" })
}

/** What an Effect needs, and how it fails. */
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
  return yield* Command.make("git", "status").pipe(
    Command.workingDirectory(yield* fs.makeTempDirectory()),
    Command.string,
  )
})
same<typeof program, Effect.Effect<string, PlatformError, FileSystem.FileSystem | CommandExecutor>>(true)
const layer = Platform.layer({ url: "ws://127.0.0.1:7000" }, { watchInterval: "1 second" })
same<typeof layer, Layer.Layer<Platform.Services, ClientError.ClientError>>(true)
const remote = Effect.provide(program, layer)
same<typeof remote, Effect.Effect<string, PlatformError | ClientError.ClientError>>(true)
// @ts-expect-error: the services of the client's own host are not `ExecClient`
Platform.layerClient({})

/** A spawner of one's own. */
export const wrapped = Sandbox.layerWrap((spec) => ({ ...spec, argv: ["nice", ...spec.argv] })).pipe(
  () => layerSpawner,
)
// @ts-expect-error: argv stays a list
Sandbox.layerWrap((spec) => ({ ...spec, argv: "nice" }))
