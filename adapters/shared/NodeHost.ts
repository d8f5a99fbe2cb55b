/** The facts of this machine, and session ids, from `node:*` modules that all three runtimes have. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SessionIds } from "../../core/session/SessionIds.ts"
import { Host, type HostInfo } from "../../core/spawn/Host.ts"

/** Reads the host once, when the layer is built. */
export const layerHost: Layer.Layer<Host> = Layer.sync(Host, () => ({
  platform: platforms[process.platform] ?? process.platform,
  env: environment(),
  cwd: process.cwd(),
  home: os.homedir() || undefined,
  temp: os.tmpdir(),
  shell: shell(),
}))

export const layerSessionIds: Layer.Layer<SessionIds> = Layer.succeed(SessionIds, {
  next: Effect.sync(() => crypto.randomUUID()),
})

const platforms: Readonly<Record<string, string>> = { darwin: "macos", win32: "windows" }

const environment = (): HostInfo["env"] =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

/** The user's login shell, else the platform's own. */
const shell = (): HostInfo["shell"] => {
  const fallback = process.platform === "win32" ? (process.env["COMSPEC"] ?? "cmd.exe") : "/bin/sh"
  const found = [loginShell(), process.env["SHELL"]].find((each) => each && path.isAbsolute(each)) ?? fallback
  return { name: path.basename(found).replace(/\.exe$/i, ""), path: found }
}

/** Of the password database. Bun does not look there: its `userInfo` says what `SHELL` says, or "unknown". */
const loginShell = (): string | null | undefined => {
  try {
    return "Bun" in globalThis && process.platform !== "win32" ? passwdShell() : os.userInfo().shell
  } catch {
    return null // there is no such database, or the user is not in it
  }
}

/** The last of the seven fields of the user's line. */
const passwdShell = (): string | undefined => {
  const uid = String(process.getuid?.())
  const users = fs.readFileSync("/etc/passwd", "utf8").split("\n")
  return users.map((line) => line.split(":")).find((fields) => fields[2] === uid)?.[6]
}
