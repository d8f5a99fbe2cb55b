/**
 * The shell for clients: the user's own if clients know how to talk to it, else an installed one.
 *
 * The user's own is the one in the password database, else `SHELL`. Bun does not read the database, so `/etc/passwd` is
 * read here.
 */
import { accessSync, constants, readFileSync } from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { HostInfo } from "../../../core/spawn/Host.ts"
import * as SearchPath from "./SearchPath.ts"

type Env = HostInfo["env"]

/** Shells that clients know, in order of preference. */
const known = ["bash", "zsh", "sh"]

export const find = (platform: NodeJS.Platform, env: Env): HostInfo["shell"] =>
  platform === "win32" ? onWindows(env) : onUnix(env, loginShell())

/** The shell in the password database if it can be run, else `/bin/sh`; none on Windows. */
export const login = (platform: NodeJS.Platform): string | undefined => {
  if (platform === "win32") return undefined
  const found = loginShell()
  return found !== undefined && found !== "" && canRun(found) ? found : "/bin/sh"
}

/** `login` is the shell in the password database. */
const onUnix = (env: Env, login: string | undefined): HostInfo["shell"] => {
  const own = [login, env["SHELL"]].find(
    (found) =>
      found !== undefined && path.isAbsolute(found) && known.includes(path.basename(found)) && canRun(found),
  )
  return named(own ?? installed(known, env["PATH"]) ?? "/bin/sh")
}

const onWindows = (env: Env): HostInfo["shell"] => {
  const powershell = installed(["pwsh.exe", "powershell.exe"], env["PATH"] ?? env["Path"])
  return named(powershell ?? env["COMSPEC"] ?? "cmd.exe")
}

/** The path of the first of these programs that is in the PATH. */
const installed = (names: ReadonlyArray<string>, folders: string | undefined): string | undefined =>
  names.map((name) => SearchPath.find(name, folders, canRun)).find((found) => found !== undefined)

const named = (found: string): HostInfo["shell"] => {
  const name = path
    .basename(found)
    .replace(/\.exe$/i, "")
    .toLowerCase()
  return { name: name === "pwsh" ? "powershell" : name, path: found }
}

const loginShell = (): string | undefined => {
  try {
    return "Bun" in globalThis ? inDatabase(os.userInfo().uid) : (os.userInfo().shell ?? undefined)
  } catch {
    return undefined // the user is not in the password database, or it may not be read
  }
}

const inDatabase = (uid: number): string | undefined =>
  readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .find((entry) => entry[2] === String(uid))?.[6]

const canRun = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch (error) {
    // Deno without the permission to read: assume that the file is there.
    return error instanceof Error && error.name === "NotCapable"
  }
}
