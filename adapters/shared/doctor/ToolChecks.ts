/** Programs that procwire uses if they are there: each is run, as `procwire spawners` does it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { builtIns } from "../../sandbox/BuiltIns.ts"
import * as BuiltIn from "../../sandbox/BuiltIn.ts"
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
      if (Result.isSuccess(tried)) return yes("a user namespace was made")
      return no(tried.failure, UserNamespaces.remedy())
    }),
}

const ofSpawner = (name: string, says: string) =>
  builtIns.filter((builtIn) => builtIn.name === name).map(({ missing }) => ofMissing(name, says, missing))

export const checks: ReadonlyArray<Check> = [
  userns,
  ...ofSpawner("bwrap", "bubblewrap has confined a program: restricted sandboxes work"),
  ...ofSpawner("podman", "podman has answered"),
  ...ofSpawner("docker", "the daemon of Docker has answered"),
  ...ofSpawner("ssh", "the client of OpenSSH is installed"),
]
