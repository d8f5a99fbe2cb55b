/**
 * `bwrap[:ro,net,rw=DIR,…]`: every process inside bubblewrap, with a file system that it can read, no network and no
 * other processes in sight. It may write to the folder for temporary files and to the directory of the server, unless
 * `ro` is given, and to each `rw=DIR`.
 */
import { tmpdir } from "node:os"
import process from "node:process"
import * as Result from "effect/Result"
import * as Bubblewrap from "../shared/confine/Bubblewrap.ts"
import * as UserNamespaces from "../shared/confine/UserNamespaces.ts"
import * as Attempt from "../shared/host/Attempt.ts"
import type { BuiltIn } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"

export const bwrap: BuiltIn = {
  name: "bwrap",
  options: "[:ro,net,rw=DIR,…]",
  says:
    "confines processes with bubblewrap: they read everything, write to the server's directory and to temporary " +
    "files (not with `ro`) and to each DIR, and have no network without `net`",
  example: "bwrap:ro,rw=/srv/build",
  missing: () => {
    const lack = BuiltIns.lacks("bwrap", "bubblewrap")
    if (lack !== undefined) return lack
    const tried = Attempt.run("bwrap", ...trial, "/bin/sh", "-c", ":")
    if (Result.isSuccess(tried)) return undefined
    return { what: `bubblewrap does not work here: ${tried.failure}`, remedy: UserNamespaces.remedy() }
  },
  read: (text) =>
    Result.gen(function* () {
      const given = yield* BuiltIns.pairs(text, ["ro", "net", "rw"])
      const folders: Array<string> = []
      for (const [name, value] of given) {
        if (name !== "rw" && value !== undefined) return yield* BuiltIns.invalid(`'${name}' takes no value`)
        if (name !== "rw") continue
        if (!BuiltIns.isFolder(value))
          return yield* BuiltIns.invalid(`rw is '${value ?? ""}': expected an absolute path of a folder`)
        folders.push(value)
      }
      const has = (wanted: string) => given.some(([name]) => name === wanted)
      const usual = has("ro") ? [] : [tmpdir(), process.cwd()]
      return Bubblewrap.layer({
        confinement: {
          places: [
            { path: "/", access: "read" },
            ...[...usual, ...folders].map((path) => ({ path, access: "write" }) as const),
          ],
          network: has("net"),
        },
      })
    }),
}

const trial = ["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc"]
