/**
 * `user:NAME`: processes of another user, with its user id, its group and its further groups, by `setpriv`.
 *
 * The environment is that of the request; HOME is not set. The variables to which the C library of a program with
 * other rights must not listen reach the process alone, not `setpriv`, which runs as root. A PTY and pipes belong to
 * the user of the server, so such a process cannot open them anew by a path (`/dev/pts/N`, `/dev/stdout`).
 */
import process from "node:process"
import * as Result from "effect/Result"
import type { SpawnSpec } from "../../core/spawn/Spawner.ts"
import * as Attempt from "../shared/host/Attempt.ts"
import type { BuiltIn } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"
import { behindEnv, layerWrap } from "./Wrap.ts"

export const user: BuiltIn = {
  name: "user",
  options: ":NAME",
  says: "runs processes as another user: its id, its group and its further groups",
  example: "user:nobody",
  missing: () =>
    BuiltIns.lacks("setpriv", "util-linux") ??
    (process.getuid?.() === 0
      ? undefined
      : { what: "only root may become another user", remedy: "start the server as root" }),
  read: (name = "") =>
    Result.map(idsOf(name), ({ uid, gid }) => {
      const program = BuiltIns.find("setpriv") ?? "setpriv"
      const become = [`--reuid=${uid}`, `--regid=${gid}`, "--init-groups", "--inh-caps=-all"]
      return layerWrap((spec) => guarded(spec, [program, ...become]))
    }),
}

const idsOf = (name: string) => {
  if (!/^[\w.][\w.@-]*\$?$/.test(name)) return BuiltIns.invalid(`'${name}' is no name of a user`)
  const id = (flag: string) => Attempt.run(BuiltIns.find("id") ?? "id", flag, "--", name)
  return Result.orElse(Result.all({ uid: id("-u"), gid: id("-g") }), () =>
    BuiltIns.invalid(`there is no user '${name}' on this machine`),
  )
}

/** Variables that glibc ignores in a program that gets other rights (secure execution). */
const unsafe =
  /^(LD_.*|GCONV_PATH|GETCONF_DIR|GLIBC_TUNABLES|HOSTALIASES|LOCALDOMAIN|LOCPATH|MALLOC_.*|NIS_PATH|NLSPATH|RES_OPTIONS|RESOLV_HOST_CONF|TMPDIR|TZDIR)$/

/** `env` sets those variables after the change. */
const guarded = (spec: SpawnSpec, front: readonly [string, ...ReadonlyArray<string>]): SpawnSpec => {
  const held = Object.entries(spec.env).filter(([name]) => unsafe.test(name))
  if (held.length === 0) return { ...spec, argv: [...front, "--", ...spec.argv] }
  const env = Object.fromEntries(Object.entries(spec.env).filter(([name]) => !unsafe.test(name)))
  return { ...spec, env, argv: [...front, "--", ...behindEnv(spec.argv, held)] }
}
