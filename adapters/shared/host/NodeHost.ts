/** The facts of this machine, and session ids, from `node:*` modules that all three runtimes have. */
import * as crypto from "node:crypto"
import * as os from "node:os"
import * as path from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SessionIds } from "../../../core/session/SessionIds.ts"
import { Host, type HostInfo } from "../../../core/spawn/Host.ts"
import type { Early } from "../start/Early.ts"
import * as WorkingDirectory from "./WorkingDirectory.ts"
import * as Shell from "./Shell.ts"

/** Reads the host once, when the layer is built. */
export const layerHost: Layer.Layer<Host> = Layer.sync(Host, () => {
  const env = environment()
  return {
    platform: platforms[process.platform] ?? process.platform,
    env,
    cwd: WorkingDirectory.current(),
    home: home(env),
    temp: temporary(env),
    shell: Shell.find(process.platform, env),
    loginShell: Shell.login(process.platform),
  }
})

/** Random UUIDs as session ids. The first one is that of the start, if it has given out one. */
export const sessionIds = (early?: Early): Layer.Layer<SessionIds> =>
  Layer.succeed(SessionIds, { next: Effect.sync(() => early?.takeId?.() ?? crypto.randomUUID()) })

/** Random UUIDs as session ids. */
export const layerSessionIds: Layer.Layer<SessionIds> = sessionIds()

const platforms: Readonly<Record<string, string>> = { darwin: "macos", win32: "windows" }

export const environment = (): HostInfo["env"] =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

/** On Unix `TMPDIR` alone counts, as with the peer. */
const temporary = (env: HostInfo["env"]): string =>
  process.platform === "win32" ? os.tmpdir() : path.resolve(env["TMPDIR"] || "/tmp")

/** `HOME`, else the entry of the password database; a relative path counts as none. */
const home = (env: HostInfo["env"]): string | undefined => {
  const found = (process.platform === "win32" ? undefined : env["HOME"]) || fromSystem()
  return found !== undefined && path.isAbsolute(found) ? found : undefined
}

const fromSystem = (): string | undefined => {
  try {
    return os.userInfo().homedir || os.homedir() || undefined
  } catch {
    return os.homedir() || undefined // the user is not in the password database
  }
}
