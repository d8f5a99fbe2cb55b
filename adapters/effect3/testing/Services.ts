/** Runs programs on the services of `procwire/effect3`, over a server in this process and over a WebSocket. */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe } from "vitest"
import type { ClientError } from "../../../core/client/ClientError.ts"
import { connect } from "../../testing/Client.ts"
import { name, platform } from "../../testing/Runtime.ts"
import { makeLayer, type Services } from "../Services.ts"
import * as Program from "../../shared/Program.ts"
import type { RunningServer } from "../../shared/serve/Serve.ts"

/** Runs a program in a scope of its own. */
export type Run = <A, E>(program: Effect.Effect<A, E, Services | Scope.Scope>) => Promise<A>

const layer = makeLayer(connect)

/** Declares the tests of `body` for each way to a server. */
export const onEachServer = (what: string, body: (run: Run) => void): void => {
  for (const way of ["in process", "over ws"] as const) {
    describe(`${what} ${way} on ${name}`, () => {
      let server: RunningServer | undefined
      let runtime: ManagedRuntime.ManagedRuntime<Services, ClientError>
      beforeAll(async () => {
        if (way === "over ws") server = await Program.make(platform).serve({ listen: "ws://127.0.0.1:0" })
        const target =
          server === undefined ? { inProcess: true as const } : { url: server.addresses[0] ?? "" }
        runtime = ManagedRuntime.make(layer(target, { watchInterval: "10 millis" }))
      })
      afterAll(async () => {
        await runtime.dispose()
        await server?.close({ graceMs: 0 })
      })
      body((program) => runtime.runPromise(Effect.scoped(program)))
    })
  }
}
