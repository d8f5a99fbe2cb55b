/** The server's report about itself and its host. A capability is true only if it works here. */
import type { Server } from "../features/Feature.ts"
import * as Environment from "../protocol/Environment.ts"
import * as PathUri from "../protocol/PathUri.ts"
import type { HostInfo } from "../spawn/Host.ts"

export type { Server } from "../features/Feature.ts"

/**
 * The result of `environment/info`, for one connection, with the capabilities that features announce; `version` is that
 * of the embedding program.
 */
export const make = (
  server: Server,
  announced: Partial<Environment.Capabilities>,
  version: string,
): Environment.EnvironmentInfo => {
  const { host, spawner, files, hasNetwork, keepsEgress, listsAll } = server
  return {
    shell: host.shell,
    executorVersion: version,
    providerId: null,
    cwd: PathUri.fromPath(host.cwd),
    userHomeDir: host.home === undefined ? null : PathUri.fromPath(host.home),
    platformOs: host.platform,
    prependPathDirs: [],
    temporaryDirectories: temporaryDirectories(host).map(PathUri.fromPath),
    tempDir: PathUri.fromPath(host.temp),
    capabilities: {
      ...Environment.noCapabilities,
      ...announced,
      networkProxyLaunch: keepsEgress,
      fsWatchMissing: files.watches,
      fileWriteStreaming: files.available,
      httpHeaderEnvVars: hasNetwork,
      processResize: spawner.resize,
      processCloseStdin: spawner.pipeStdin,
      processSignals: host.platform !== "windows",
      sessionReplay: true,
      sessionTakeover: true,
      requestCancel: true,
      processList: true,
      processChanges: true,
      processListAll: listsAll,
      sessionEnd: true,
    },
  }
}

const temporaryDirectories = ({ platform, env, temp }: HostInfo): ReadonlyArray<string> =>
  platform === "windows" ? ["TEMP", "TMP"].flatMap((name) => env[name] || []) : env["TMPDIR"] ? [temp] : []
