/**
 * `ssh:[USER@]HOST[:PORT]`: processes of another machine, over one connection of `ssh`, without procwire over there.
 *
 * A process is a session of sshd, which gives it a PTY and tells how it has ended. A lost connection is told as the
 * end of its processes, with a line in their output; the next start opens another one.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as PlainSpawner from "../../core/spawn/PlainSpawner.ts"
import type { BuiltIn } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"
import { SpawnerProblem } from "./SpawnerProblem.ts"
import * as Destination from "./ssh/Destination.ts"
import * as Link from "./ssh/Link.ts"
import * as Process from "./ssh/Process.ts"

export const ssh: BuiltIn = {
  name: "ssh",
  options: ":[USER@]HOST[:PORT][,identity=FILE,config=FILE,alive=SECONDS]",
  says:
    "starts processes on another machine over one connection of OpenSSH, with the keys, known hosts and configuration " +
    "of the user; over there it needs a POSIX shell only",
  example: "ssh:build@build-host:2222",
  elsewhere: true,
  missing: () => BuiltIns.lacks("ssh", "openssh-client"),
  read: (text) => Either.map(Destination.read(text), layer),
}

const capabilities = {
  pty: true,
  resize: true,
  processGroup: true,
  pipeStdin: true,
  pause: true,
}

/** A spawner on the machine at this destination, which has to let us in. */
const layer = (to: Destination.Destination) =>
  Layer.unwrapScoped(
    Effect.map(makeLinks(to), (link) =>
      PlainSpawner.toLayer({
        name: `ssh:${to.name}`,
        capabilities,
        spawn: async (spec, events) => {
          for (;;) {
            const child = await Process.start(await link(), spec, events)
            if (child !== undefined) return child
          }
        },
      }),
    ),
  )

/** The connection, or a new one once it is lost. */
type Links = () => Promise<Link.Link>

const makeLinks = (to: Destination.Destination): Effect.Effect<Links, SpawnerProblem, Scope.Scope> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    let closed = false
    const tell = (why: string) => {
      const text = `ssh:${to.name}: the connection was lost, and with it its processes: ${why}`
      if (!closed) Runtime.runFork(runtime)(Effect.logWarning(text))
    }
    const connect = () => {
      const opened = Link.open(to)
      opened.then(
        ({ ended }) => ended.then(tell),
        () => {},
      )
      return opened
    }
    let current = connect()
    yield* Effect.acquireRelease(Effect.tryPromise({ try: () => current, catch: unreachable(to) }), () =>
      Effect.promise(async () => {
        closed = true
        await (await current.catch(() => undefined))?.close()
      }),
    )
    return async () => {
      const tried = current
      const link = await tried.catch(() => undefined)
      if (link !== undefined && !link.isLost()) return link
      if (current === tried) current = connect()
      return current
    }
  })

const unreachable = (to: Destination.Destination) => (cause: unknown) =>
  new SpawnerProblem({
    reason: "Unreachable",
    message: `ssh:${to.name}: ${cause instanceof Error ? cause.message : String(cause)}`,
    cause,
  })
