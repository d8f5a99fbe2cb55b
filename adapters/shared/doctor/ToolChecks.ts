/** Programs that procwire uses if they are there: each is run, as `procwire spawners` does it. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { builtIns } from "../../sandbox/BuiltIns.ts"
import * as BuiltIn from "../../sandbox/BuiltIn.ts"
import * as Engines from "../../sandbox/Engines.ts"
import * as UserNamespaces from "../confine/UserNamespaces.ts"
import * as Attempt from "../host/Attempt.ts"
import { type Check, no, ofMissing, yes } from "./Check.ts"

const userns: Check = {
  name: "userns",
  remedy: BuiltIn.permissions,
  look: () =>
    Effect.sync(() => {
      const lack = BuiltIn.lacks("unshare", "util-linux")
      if (lack !== undefined) return no(lack.what, lack.remedy)
      const tried = Attempt.run("unshare", "--user", "--map-root-user", "true")
      if (Either.isRight(tried)) return yes("a user namespace was made")
      return no(tried.left, UserNamespaces.remedy())
    }),
}

/** What the spawner of this name needs; `otherwise` as long as there is none. */
const needsOf = (name: string, otherwise: () => BuiltIn.Missing | undefined) =>
  builtIns.find((builtIn) => builtIn.name === name)?.missing ?? otherwise

export const checks: ReadonlyArray<Check> = [
  userns,
  ofMissing(
    "bwrap",
    "bubblewrap has confined a program: restricted sandboxes work",
    needsOf("bwrap", () => BuiltIn.lacks("bwrap", "bubblewrap")),
  ),
  ofMissing("podman", "podman has run a program in a container", needsOf("podman", Engines.podman)),
  ofMissing("docker", "the daemon of Docker has answered", needsOf("docker", Engines.docker)),
  ofMissing("ssh", "the client of OpenSSH has read its configuration", needsOf("ssh", Engines.ssh)),
]
