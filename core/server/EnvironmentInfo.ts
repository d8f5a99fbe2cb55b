/** What this server reports about itself and its host. A capability is true only if it works here. */
import * as Features from "../features/Features.ts"
import type { FilesService } from "../files/Files.ts"
import * as Environment from "../protocol/Environment.ts"
import * as PathUri from "../protocol/PathUri.ts"
import * as SessionScope from "../protocol/SessionScope.ts"
import type { HostInfo } from "../spawn/Host.ts"
import type { ProcessEvidenceService } from "../spawn/ProcessEvidence.ts"
import type { Capabilities } from "../spawn/Spawner.ts"

/** What a server says of itself. */
export interface Told {
  /** That of the embedding program. */
  readonly version: string
  /** Whether requests may use the network. */
  readonly hasNetwork: boolean
  /** What evidence of processes it has. */
  readonly tells: ProcessEvidenceService["tells"]
  /** Whether lists show every session to whoever asks. */
  readonly listsAll: boolean
  /** Whether output can be kept in files. */
  readonly keepsHistories: boolean
  /** Whether terminals can be painted. */
  readonly paints: boolean
}

/** The result of `environment/info`. */
export const make = (
  host: HostInfo,
  { pty, resize, pipeStdin, pause }: Capabilities,
  { available, watches }: FilesService,
  { version, hasNetwork, tells, listsAll, keepsHistories, paints }: Told,
): Environment.EnvironmentInfo => ({
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
    ...Features.announced(host),
    fsWatchMissing: watches,
    fileWriteStreaming: available,
    httpHeaderEnvVars: hasNetwork,
    processResize: resize,
    processCloseStdin: pipeStdin,
    processSignals: host.platform !== "windows",
    sessionReplay: true,
    sessionTakeover: true,
    // What may not be pushed waits in the log, so the child has to be paused.
    processCredit: pause,
    requestCancel: true,
    processWait: true,
    processWaitPort: tells.port,
    processWaitInput: tells.input,
    outputHistory: keepsHistories,
    processList: true,
    processChanges: true,
    processListAll: listsAll,
    processAttach: true,
    processScreen: pty && paints,
    processAutoRemove: true,
    processAnswers: pty,
    processPid: true,
    sessionEnd: true,
    // Modes and links of Windows are others.
    fsChange: available && host.platform !== "windows",
  },
})

/** The same for a client of that scope. */
export const within = (
  info: Environment.EnvironmentInfo,
  scope: SessionScope.SessionScope,
): Environment.EnvironmentInfo =>
  SessionScope.includes(scope, "observe")
    ? {
        ...info,
        capabilities: {
          ...info.capabilities,
          processListAll: true,
          processAttachAll: true,
          processControlAll: scope === "control",
        },
      }
    : info

const temporaryDirectories = ({ platform, env, temp }: HostInfo): ReadonlyArray<string> =>
  platform === "windows" ? ["TEMP", "TMP"].flatMap((name) => env[name] || []) : env["TMPDIR"] ? [temp] : []
