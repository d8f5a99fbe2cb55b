/**
 * `podman:IMAGE` and `docker:IMAGE`: processes in a container of this image, one for each server, with an `exec` for
 * each process. The container is removed with the server, also when that is killed.
 *
 * Its first process is a shell of procwire, which sends signals and tells what ends, so a group number that a process
 * inside has is that of the container. A container that ends before the server ends its processes; the next start makes
 * another one.
 */
import { spawnSync } from "node:child_process"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as PlainSpawner from "../../core/spawn/PlainSpawner.ts"
import { SpawnError } from "../../core/spawn/SpawnError.ts"
import * as Spawner from "../../core/spawn/Spawner.ts"
import type { BuiltIn } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"
import * as Container from "./container/Container.ts"
import * as ContainerProcess from "./container/ContainerProcess.ts"
import * as ImageOptions from "./container/ImageOptions.ts"
import { SpawnerProblem } from "./SpawnerProblem.ts"

/** What differs between the engines, which have the same command line. */
interface Engine {
  readonly name: "podman" | "docker"
  readonly pack: string
  /** What to do if it does not answer. */
  readonly remedy: string
  /** docker has no empty sequence, so it gets one that nobody types. */
  readonly detachKeys: string
}

const builtIn = (engine: Engine): BuiltIn => ({
  name: engine.name,
  options: ImageOptions.usage,
  says:
    `runs processes in a container of an image that ${engine.name} has, with each DIR of this machine at the same path, ` +
    "to write to or to read; the image needs a shell and setsid",
  example: `${engine.name}:docker.io/library/debian:stable-slim,rw=/srv/build,net=none`,
  elsewhere: true,
  missing: () => BuiltIns.lacks(engine.name, engine.pack) ?? silent(engine),
  read: (text) => Either.map(ImageOptions.read(text), (options) => layer(engine, options)),
})

export const podman = builtIn({
  name: "podman",
  pack: "podman",
  remedy: "`podman info` says more",
  detachKeys: "",
})

export const docker = builtIn({
  name: "docker",
  pack: "docker.io",
  remedy: "systemctl start docker, and be root or in the group docker",
  detachKeys: "ctrl-^,ctrl-_,ctrl-^,ctrl-_",
})

const silent = ({ name, remedy }: Engine) => {
  const { status, stderr } = attempt(BuiltIns.find(name) ?? name, "ps", "--quiet")
  if (status === 0) return undefined
  return { what: `${name} does not work here: ${Container.lastLine(stderr)}`, remedy }
}

const attempt = (...command: ReadonlyArray<string>) =>
  spawnSync("/bin/sh", BuiltIns.shellArgs(...command), { encoding: "utf8" })

const layer = ({ detachKeys, name }: Engine, { args, image }: ImageOptions.ImageOptions) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const program = BuiltIns.find(name) ?? name
      const problem = (reason: SpawnerProblem["reason"], message: string) =>
        new SpawnerProblem({ reason, message: `${name}:${image}: ${message}` })
      if (attempt(program, "image", "inspect", image).status !== 0)
        return yield* problem("Missing", `${name} has no such image; ${name} pull ${image}`)
      const inner = yield* Spawner.Spawner
      const options = { program, detachKeys, image, args, inner }
      const open = Scope.extend(Container.open(options), yield* Effect.scope)
      const first = yield* Effect.mapError(open, ({ message }) => problem("Unreachable", message))
      const again = async () =>
        Either.getOrThrowWith(
          await Effect.runPromise(Effect.either(open)),
          ({ message }) => new SpawnError({ reason: "Unknown", message: `${name}:${image}: ${message}` }),
        )
      let current = Promise.resolve(first)
      const container = () => (current = current.then((found) => (found.hasEnded() ? again() : found), again))
      const { pause, pty, resize } = inner.capabilities
      return PlainSpawner.toLayer({
        name: `${name}:${image}`,
        capabilities: { pty, resize, processGroup: true, pipeStdin: true, pause },
        spawn: async (spec, events) => ContainerProcess.start(await container(), spec, events),
      })
    }),
  )
