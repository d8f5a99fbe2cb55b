/** The runtime that runs this test: its platform, its spawner, and the program on it. */
import process from "node:process"
import { fileURLToPath } from "node:url"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Spawner from "../../core/spawn/Spawner.ts"
import { platform } from "../shared/HostPlatform.ts"

export { platform } from "../shared/HostPlatform.ts"

export const name = "Bun" in globalThis ? "Bun" : "Deno" in globalThis ? "Deno" : "Node"

/** The spawner of the platform; its scope is never closed. */
export const spawner: Spawner.SpawnerService = Context.get(
  Effect.runSync(Layer.buildWithScope(platform.layerSpawner, Effect.runSync(Scope.make()))),
  Spawner.Spawner,
)

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** The output of `.ci/tested.mjs`, which starts several times as fast as the sources. */
const tested = process.env["TESTED_PROGRAM"]

/** The program `procwire` on this runtime: built for Node, as one file or from source elsewhere. */
export const command: readonly [string, ...ReadonlyArray<string>] = {
  Node: [process.execPath, path("../../dist/procwire.cjs")] as const,
  Bun: [process.execPath, tested ?? path("../bun/main.ts")] as const,
  Deno: [process.execPath, "run", "--quiet", "--no-prompt", "-P", tested ?? path("../deno/main.ts")] as const,
}[name]

const [program, ...words] = command

/** The same, which may do everything: on Deno a server of one's own needs that, because it reads /proc and signals. */
export const unboundCommand: typeof command = [program, ...words.map((word) => (word === "-P" ? "-A" : word))]
