/**
 * The shell that clients are told of: the user's own where clients know how to talk to it, else one that is there.
 *
 * The user's own is what the password database says, then `SHELL`. Bun reads no database, so its file is read here.
 */
import { accessSync, constants, readFileSync } from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { HostInfo } from "../../../core/spawn/Host.ts"
import * as SearchPath from "./SearchPath.ts"

type Env = HostInfo["env"]

/** Shells that clients know, the better ones first. */
const known = ["bash", "zsh", "sh"]

/** The shell on this platform. */
export const find = (platform: NodeJS.Platform, env: Env): HostInfo["shell"] =>
  platform === "win32" ? onWindows(env) : onUnix(env, loginShell())

/** `login` is the entry of the password database. */
export const onUnix = (env: Env, login: string | undefined): HostInfo["shell"] => {
  const own = [login, env["SHELL"]].find(
    (found) =>
      found !== undefined && path.isAbsolute(found) && known.includes(path.basename(found)) && canRun(found),
  )
  const found =
    own ??
    known.map((name) => SearchPath.find(name, env["PATH"], canRun)).find((found) => found !== undefined)
  return named(found ?? "/bin/sh")
}

const onWindows = (env: Env): HostInfo["shell"] => {
  const powershell = ["pwsh.exe", "powershell.exe"].map((name) =>
    SearchPath.find(name, env["PATH"] ?? env["Path"], canRun),
  )
  return named(powershell.find((found) => found !== undefined) ?? env["COMSPEC"] ?? "cmd.exe")
}

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
    // Deno without the permission to read: nothing says that it is not there.
    return error instanceof Error && error.name === "NotCapable"
  }
}
