/**
 * `procwire:URL`: processes of another procwire. It shows that a child may be remote: it has no pid, every operation is
 * a request, and a lost link is repaired, or else ends the child.
 *
 * Each child has a connection and a session of its own, so that none that is paused stalls another. A child whose link
 * stays lost is reported as killed, which its server does as soon as it gives up the session. The wire tells only that
 * all streams have ended, not each, and says a death by signal n as code 128 + n. A server without `processDeadlines`
 * has four signals.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as ExecClient from "../../core/client/ExecClient.ts"
import type { RemoteProcess } from "../../core/client/RemoteProcess.ts"
import * as Spawner from "../../core/spawn/Spawner.ts"
import * as SpecCheck from "../../core/spawn/SpecCheck.ts"
import * as Connect from "../shared/Connect.ts"
import type { BuiltIn } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"
import * as RemoteChild from "./RemoteChild.ts"
import * as RemoteEvents from "./RemoteEvents.ts"
import { SpawnerProblem } from "./SpawnerProblem.ts"

export const procwire: BuiltIn = {
  name: "procwire",
  options: ":URL",
  says:
    "starts processes on another procwire, at ws://HOST:PORT, tcp://HOST:PORT or unix:PATH; its token is in the " +
    "variable PROCWIRE_TOKEN",
  example: "procwire:ws://build-host:7000",
  elsewhere: true,
  missing: () => undefined,
  read: (url = "") =>
    Connect.isUrl(url)
      ? Either.right(layer(url))
      : BuiltIns.invalid(`'${url}' is no URL: expected ws://HOST:PORT, tcp://HOST:PORT or unix:PATH`),
}

/** A spawner on the server at this URL, which has to be there. */
const layer = (url: string): Layer.Layer<Spawner.Spawner, SpawnerProblem> => {
  const token = process.env["PROCWIRE_TOKEN"]?.trim()
  const open = Connect.openRemote({ url, ...(token ? { token } : {}) })
  const connect = ExecClient.make(open, { clientName: "procwire-spawner", reconnect: {} })
  const probe = Effect.mapError(
    Effect.scoped(connect),
    (cause) =>
      new SpawnerProblem({ reason: "Unreachable", message: `procwire:${url}: ${cause.message}`, cause }),
  )
  return Layer.effect(
    Spawner.Spawner,
    Effect.map(probe, ({ environmentInfo: { capabilities = {} } }) => ({
      capabilities: {
        pty: true,
        resize: capabilities.processResize === true,
        arg0: true,
        processGroup: true,
        pipeStdin: capabilities.processCloseStdin === true,
        pause: true,
        confine: false,
      },
      spawn: (spec, events) => {
        const refusal = SpecCheck.refusal(spec)
        if (refusal !== undefined) return refusal
        const started = Effect.gen(function* () {
          const client = yield* Effect.mapError(connect, RemoteChild.toSpawnError)
          const starting = Effect.mapError(client.startSubscribed(startOf(spec)), RemoteChild.toSpawnError)
          const { process, subscription } = yield* Effect.uninterruptibleMask((restore) =>
            Effect.tap(restore(starting), ({ process }) => Effect.addFinalizer(() => end(process))),
          )
          const followed = yield* RemoteEvents.follow(process, subscription, spec.stdio, events)
          return RemoteChild.make(
            client.call,
            process,
            followed,
            spec.stdio,
            capabilities.processDeadlines === true,
          )
        })
        // A child that was refused leaves no connection.
        return Effect.gen(function* () {
          const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
          return yield* Scope.extend(started, scope).pipe(
            Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void)),
          )
        })
      },
    })),
  )
}

/** The end of a child waits for its server, but not for long. */
const end = ({ terminate }: RemoteProcess) =>
  Effect.ignore(Effect.timeout(Effect.interruptible(terminate), "2 seconds"))

const startOf = ({ arg0, argv, cwd, env, stdio }: Spawner.SpawnSpec) => ({
  argv,
  cwd,
  env,
  envPolicy: null,
  ...(arg0 === undefined ? {} : { arg0 }),
  ...(stdio.kind === "pty" ? { tty: true, terminalSize: stdio.size } : { pipeStdin: stdio.stdin }),
})
