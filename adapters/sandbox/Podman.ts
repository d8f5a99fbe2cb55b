/**
 * `podman:IMAGE` and `docker:IMAGE`: processes in a container of this image, one for each server, with an `exec` for
 * each process. The container is removed with the server, also when that is killed.
 *
 * Its first process is the keeper, so a group number that a process inside has is that of the container.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Layer from "effect/Layer"
import * as Attempt from "../shared/host/Attempt.ts"
import type { BuiltIn } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"
import * as Far from "./Far.ts"
import * as RemoteScripts from "./RemoteScripts.ts"
import { SpawnerProblem } from "./SpawnerProblem.ts"

/** The differences of the engines, which have the same command line. */
interface Engine {
  readonly name: "podman" | "docker"
  readonly pack: string
  /** The remedy if it does not answer. */
  readonly remedy: string
  /** docker has no empty sequence, so it gets an unlikely one. */
  readonly detachKeys: string
}

const builtIn = (engine: Engine): BuiltIn => ({
  name: engine.name,
  options: ":IMAGE[,rw=DIR,ro=DIR,net=NETWORK,…]",
  says:
    `runs processes in a container of an image that ${engine.name} has, with each DIR of this machine at the same path, ` +
    "to write to or to read; the image needs a shell",
  example: `${engine.name}:docker.io/library/debian:stable-slim,rw=/srv/build,net=none`,
  elsewhere: true,
  missing: () => BuiltIns.lacks(engine.name, engine.pack) ?? silent(engine),
  read: (text) => Result.map(read(text), (options) => layer(engine, options)),
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

const silent = ({ name, remedy }: Engine) =>
  Result.match(Attempt.run(BuiltIns.find(name) ?? name, "ps", "--quiet"), {
    onFailure: (why) => ({ what: `${name} does not work here: ${lastLine(why)}`, remedy }),
    onSuccess: () => undefined,
  })

/** The last line of a text, without what the engine puts before its errors. */
const lastLine = (text: string): string => (text.trim().split("\n").at(-1) ?? "").replace(/^Error: /, "")

const layer = ({ detachKeys, name }: Engine, { args, image }: ImageOptions) =>
  Layer.unwrap(
    Effect.suspend(() => {
      const program = BuiltIns.find(name) ?? name
      const message = `${name}:${image}: ${name} has no such image; ${name} pull ${image}`
      if (Result.isFailure(Attempt.run(program, "image", "inspect", "--format", "{{.Id}}", image)))
        return new SpawnerProblem({ reason: "Missing", message })
      const way: Far.Way = {
        name: `${name}:${image}`,
        isContainer: true,
        silenceSeconds: 0,
        loginSeconds: 120,
        keeper: (link) => {
          const fixed = ["--rm", "--interactive", "--pull=never", "--name", link, "--entrypoint", "sh"]
          return [program, "run", ...fixed, ...args, image, "-c", RemoteScripts.bootstrap]
        },
        exec: (link, stdio, command) => {
          const flags = stdio.kind === "pty" ? ["-i", "-t"] : stdio.stdin ? ["-i"] : []
          // Warnings of the engine, as of a resize that meets the end, would be output of the process.
          const quiet = "--log-level=error"
          return [program, quiet, "exec", ...flags, `--detach-keys=${detachKeys}`, link, ...command]
        },
        reason: lastLine,
        lost: (why) => `the container of ${image} has ended, and its processes with it: ${why}`,
      }
      return Effect.succeed(Far.layer(way))
    }),
  )

interface ImageOptions {
  readonly image: string
  readonly args: ReadonlyArray<string>
}

const read = (text = ""): Result.Result<ImageOptions, SpawnerProblem> =>
  Result.gen(function* () {
    const [image = "", ...rest] = text.split(",")
    if (!/^\w[\w./:@+-]*$/.test(image))
      return yield* BuiltIns.invalid(
        `'${image}' is no name of an image: expected one such as debian:stable-slim`,
      )
    const args: Array<string> = []
    for (const [name, value = ""] of yield* BuiltIns.pairs(rest.join(","), ["rw", "ro", "net"])) {
      const isNetwork = name === "net"
      // A colon separates the parts of a mount.
      if (isNetwork ? value === "" : !BuiltIns.isFolder(value) || value.includes(":")) {
        const expected = isNetwork
          ? "a network, such as none"
          : "an absolute path of a folder, without a colon"
        return yield* BuiltIns.invalid(`${name} is '${value}': expected ${expected}`)
      }
      args.push(...(isNetwork ? ["--network", value] : ["--volume", `${value}:${value}:${name}`]))
    }
    return { image, args }
  })
