/**
 * The versions of the wire: what each of them added or changed.
 *
 * The major number rises when a client or a server of before would fail, the minor one when something was added. A
 * thing is named as `process/start`, or with its type as `ReadParams.waitMs`; types come with the first thing that
 * refers to them. `npm run check` fails if something is on the wire that is named neither here nor in `wire.lock`.
 */
import type { Capabilities } from "../Environment.ts"

/** The name of a capability. */
export type Capability = keyof Capabilities

/** A version of the wire. */
export interface Version {
  /** `MAJOR.MINOR`. */
  readonly version: string
  /** What it is, in one sentence. */
  readonly says: string
  /** Names of what was added, by the capability that tells whether a server has it. */
  readonly adds: { readonly [capability in Capability]?: ReadonlyArray<string> }
  /** Names of what was added and may be used or ignored without asking for a capability. */
  readonly addsToAll?: ReadonlyArray<string>
  /** Names of what was removed, or has got another form. */
  readonly changes?: ReadonlyArray<string>
}

/** Every version, oldest first. The last one grows until it is released. */
export const versions: readonly [Version, ...ReadonlyArray<Version>] = [
  {
    version: "1.0",
    says: "the wire of Codex exec-server 0.171.0",
    adds: {
      fsWatchMissing: ["fs/watchMissing"],
      httpHeaderEnvVars: ["HttpHeader.valueEnvVar"],
      networkProxyTransparentTcp: [
        "ManagedNetworkSandboxContext.transparentTcp",
        "RemoteNetworkProxyConfig",
        "RemoteNetworkProxyConfig.transparentTcp",
      ],
    },
  },
  {
    version: "1.1",
    says: "what procwire 0.1.0 adds, each behind a capability",
    adds: {
      processResize: ["process/resize", "WireExecParams.terminalSize"],
      processCloseStdin: ["process/closeStdin"],
      processSignals: [],
      sessionReplay: ["InitializeParams.replayAfter"],
      sessionTakeover: ["InitializeParams.takeover", "session/taken"],
      processCredit: ["WireExecParams.credit", "InitializeParams.credit", "process/credit"],
      processReceipt: ["WireExecParams.receipt", "ExecClosedNotification.receipt", "ReadResponse.receipt"],
      requestCancel: ["request/cancel"],
      processWait: ["process/wait"],
      processWaitPort: ["WaitCondition.port", "WaitCondition.host"],
      processWaitInput: ["WaitCondition.input"],
      processDeadlines: [
        "WireExecParams.timeoutMs",
        "WireExecParams.idleTimeoutMs",
        "WireExecParams.killGraceMs",
        "WireExecParams.signalOnTimeout",
        "WireExecParams.ending",
        "TerminateParams.signal",
        "TerminateParams.graceMs",
        "ReadResponse.endedBy",
        "ReadResponse.signal",
        "ExecExitedNotification.endedBy",
        "ExecExitedNotification.signal",
      ],
      outputHistory: [
        "WireExecParams.history",
        "process/history",
        "process/grep",
        "ReadResponse.more",
        "HistoryParams.times",
        "HistoryResponse.times",
        "HistoryResponse.sizes",
        "HistoryResponse.lost",
        "GrepResponse.lost",
      ],
      processList: [
        "process/list",
        "session/list",
        "WireExecParams.name",
        "WireExecParams.labels",
        "ListedProcess.endedAtMs",
      ],
      processChanges: ["process/changes"],
      processListAll: [],
      processScreen: ["process/screen"],
      processRestart: ["WireExecParams.restart", "process/restart", "ListedProcess.restarts"],
      processAutoRemove: ["WireExecParams.autoRemove"],
      processAnswers: ["WireExecParams.answers"],
      processPid: ["WireExecParams.pid", "ExecResponse.pid"],
      sessionEnd: ["session/end"],
      fsChange: ["fs/rename", "fs/setMode", "fs/createSymlink"],
      processMarks: ["WireExecParams.marks", "ReadResponse.marks", "process/mark"],
      processAttach: [
        "process/attach",
        "process/detach",
        "process/gap",
        "ProcessGapNotification.screen",
        "process/writer",
        "process/detached",
        "TerminateParams.remove",
        "ListedProcess.kept",
      ],
      processAttachAll: [],
      processControlAll: ["WireExecParams.keep"],
    },
    changes: ["RemoteNetworkProxyLaunchConfig.proxy"],
    addsToAll: [
      "ReadResponse.limit",
      "ReadResponse.oomKilled",
      "ExecExitedNotification.limit",
      "ExecExitedNotification.oomKilled",
    ],
  },
]

/** The type that tells the capabilities of a server. */
const told = "PartialCapabilities"

/** Where a thing is named: in which version, and with which capability. */
export interface Named {
  readonly version: string
  readonly capability?: Capability
}

const entries = ({ version, adds, addsToAll = [] }: Version): ReadonlyArray<[string, Named]> => [
  ...addsToAll.map((name): [string, Named] => [name, { version }]),
  ...Object.entries(adds).flatMap(([key, names]) => {
    const capability = key as Capability
    const own: [string, Named] = [`${told}.${capability}`, { version }]
    return [own, ...names.map((name): [string, Named] => [name, { version, capability }])]
  }),
]

/** Every thing that is named. */
export const named: ReadonlyMap<string, Named> = new Map(versions.flatMap(entries))

/** The version of this wire. */
export const current: string = versions[versions.length - 1]?.version ?? versions[0].version

/** The version of what is not named. */
export const first: string = versions[0].version

/** The later of two versions. */
export const later = (one: string, other: string): string => {
  const rank = (version: string) => versions.findIndex((each) => each.version === version)
  return rank(one) > rank(other) ? one : other
}
