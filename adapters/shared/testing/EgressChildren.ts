/** Children with egress rules, behind a proxy that knows the names of a test. */
import { spawnSync } from "node:child_process"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Gate from "../../../core/features/egress/Gate.ts"
import * as Rules from "../../../core/features/egress/Rules.ts"
import type * as Egress from "../../../core/spawn/Egress.ts"
import * as Spawner from "../../../core/spawn/Spawner.ts"
import { platform, spawner as inner } from "../../testing/Runtime.ts"
import * as Bubblewrap from "../confine/Bubblewrap.ts"
import * as Outlets from "../egress/namespace/Outlets.ts"
import * as Proxy from "../egress/Proxy.ts"

/** A spawner with the capability `egress`, if this machine has it, whose names this look-up resolves. */
export const open = (lookup: (name: string) => Promise<ReadonlyArray<string>>) => {
  const host: Outlets.Host = {
    openFfi: platform.openFfi,
    isCommand: false,
    loadProxy: () => Promise.resolve((gate) => Proxy.make(gate, { lookup })),
  }
  const scope = Effect.runSync(Scope.make())
  const layer = Layer.provide(
    Bubblewrap.layerWith({}, (parts) => Outlets.make(host, parts)),
    Layer.succeed(Spawner.Spawner, inner),
  )
  const spawner = Context.get(Effect.runSync(Layer.buildWithScope(layer, scope)), Spawner.Spawner)
  return { spawner, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** The gate of rules such as `allow:x.org,*.y.org:443`. */
export const gateOf = (rules: string, told: Egress.Gate["told"] = () => {}): Egress.Gate =>
  Gate.make([{ of: "the server", rules: () => Result.getOrThrow(Rules.parse([rules])) }], { told })

/** True if the program is installed, and says that it can do this. */
export const canRun = (program: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0
