/** Whether what others install works on this machine: container engines and ssh, each tried. */
import * as Either from "effect/Either"
import * as Attempt from "../shared/host/Attempt.ts"
import type { Missing } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"

const wrong =
  (program: string, remedy: string) =>
  (why: string): Missing => ({
    what: `${program} does not work here: ${why}`,
    remedy,
  })

const whatIsWrong = (tried: Either.Either<unknown, string>, say: (why: string) => Missing) =>
  Either.isRight(tried) ? undefined : say(tried.left)

/** Podman runs a program in a container over the files of this machine. */
export const podman = (): Missing | undefined =>
  BuiltIns.lacks("podman", "podman") ??
  whatIsWrong(
    Attempt.run("podman", "run", "--rm", "--network=none", "--rootfs", "/:O", "true"),
    wrong("podman", "see what `podman run --rm --network=none --rootfs /:O true` and `podman info` say"),
  )

/** The daemon of Docker answers. */
export const docker = (): Missing | undefined =>
  BuiltIns.lacks("docker", "docker.io") ??
  whatIsWrong(
    Attempt.run("docker", "version", "--format", "{{.Server.Version}}"),
    wrong("docker", "systemctl start docker, and for others than root: usermod -aG docker USER"),
  )

/** The client of OpenSSH runs, and can read its configuration. */
export const ssh = (): Missing | undefined =>
  BuiltIns.lacks("ssh", "openssh-client") ??
  whatIsWrong(
    Attempt.run("ssh", "-G", "host.invalid"),
    wrong("ssh", "mend ~/.ssh/config or /etc/ssh/ssh_config"),
  )
