/** A program on Effect 3: its door, and doors with promises beside it. */
import * as Command from "@effect/platform/Command"
import type { CommandExecutor } from "@effect/platform/CommandExecutor"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { type ClientError, connect } from "procwire"
import * as Platform from "procwire/effect3"
import { same } from "./same.js"

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
same<typeof layer, Layer.Layer<Platform.Services, ClientError>>(true)
const remote = Effect.provide(program, layer)
same<typeof remote, Effect.Effect<string, PlatformError | ClientError>>(true)
export const over = async () => Platform.layerClient(await connect({ inProcess: true }))
// @ts-expect-error: what is no client has no services
Platform.layerClient({})
