/** Every check of this machine, tried one after the other; those of programs are the ones of `procwire spawners`. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as BuiltIn from "../../sandbox/BuiltIn.ts"
import { builtIns } from "../../sandbox/BuiltIns.ts"
import * as UserNamespaces from "../confine/UserNamespaces.ts"
import * as Attempt from "../host/Attempt.ts"
import type { Platform } from "../Platform.ts"
import { type Answer, answer, type Check, machineOf, no, yes } from "./Check.ts"
import * as KeepCheck from "./KeepCheck.ts"
import * as LimitChecks from "./LimitChecks.ts"
import * as RuntimeChecks from "./RuntimeChecks.ts"

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

/** Looks for the needs of a spawner; `works` is said if nothing is missing. */
const ofSpawner = (name: string, works: string): ReadonlyArray<Check> =>
  builtIns
    .filter((builtIn) => builtIn.name === name)
    .map(({ missing }) => ({
      name,
      remedy: BuiltIn.permissions,
      look: () =>
        Effect.sync(() => {
          const lack = missing()
          return lack === undefined ? yes(works) : no(lack.what, lack.remedy)
        }),
    }))

const checks: ReadonlyArray<Check> = [
  ...RuntimeChecks.checks,
  KeepCheck.keep,
  userns,
  ...ofSpawner("bwrap", "bubblewrap has confined a program: restricted sandboxes work"),
  ...ofSpawner("podman", "podman has answered"),
  ...ofSpawner("docker", "the daemon of Docker has answered"),
  ...ofSpawner("ssh", "the client of OpenSSH is installed"),
  ...LimitChecks.checks,
]

/** The names for `--require`. */
export const names: ReadonlyArray<string> = checks.map(({ name }) => name)

/** Tries them; `keepFolders` are those by which servers find their holders. */
export const examine = (
  platform: Platform,
  keepFolders: () => Iterable<string>,
): Effect.Effect<ReadonlyArray<Answer>> =>
  Effect.suspend(() => {
    const machine = machineOf(platform, keepFolders)
    return Effect.forEach(checks, (check) => answer(check, machine))
  })
