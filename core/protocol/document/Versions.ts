/**
 * The versions of the wire: the additions and changes of each. Those of features are in their wires.
 *
 * The major number rises when a client or a server of before would fail, the minor one when something was added. A
 * thing is named as `process/start`, or with its type as `ReadParams.waitMs`; types come with the first thing that
 * refers to them. `npm run check` fails if something is on the wire that is named neither here nor in `wire.lock`.
 */
import { aboutOf } from "../../features/Abouts.ts"
import { type Wire, wires } from "../../features/Wires.ts"
import type { Capabilities } from "../Environment.ts"

/** The name of a capability. */
export type Capability = keyof Capabilities

/** A version of the wire. */
export interface Version {
  /** `MAJOR.MINOR`. */
  readonly version: string
  /** Its description, in one sentence. */
  readonly says: string
  /** Names of what was added, by the capability that tells whether a server has it. */
  readonly adds: { readonly [capability in Capability]?: ReadonlyArray<string> }
  /** Names of what was added and may be used or ignored without asking for a capability. */
  readonly addsToAll?: ReadonlyArray<string>
  /** Names of what was removed, or has got another form. */
  readonly changes?: ReadonlyArray<string>
}

/** Every version without its features, oldest first. The last one grows until it is released. */
const bases: readonly [Version, ...ReadonlyArray<Version>] = [
  {
    version: "1.0",
    says: "the wire of Codex exec-server 0.171.0",
    adds: {
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
      requestCancel: ["request/cancel"],
      processList: [
        "process/list",
        "session/list",
        "WireExecParams.name",
        "WireExecParams.labels",
        "ListedProcess.endedAtMs",
      ],
      processChanges: ["process/changes"],
      processListAll: [],
      sessionEnd: ["session/end"],
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

/** The types that have the fields of features. */
const typesOfParts = {
  startFields: ["WireExecParams"],
  startedFields: ["ExecResponse"],
  readFields: ["ReadResponse"],
  closedFields: ["ExecClosedNotification", "ReadResponse"],
  rowFields: ["ListedProcess"],
} as const

/** The names on the wire that follow from the wire of a feature. */
const namesOf = (wire: Wire): ReadonlyArray<string> => [
  ...Object.entries(typesOfParts).flatMap(([part, types]) =>
    Object.keys(wire[part as keyof typeof typesOfParts] ?? {}).flatMap((field) =>
      types.map((type) => `${type}.${field}`),
    ),
  ),
  ...Object.keys(wire.requests ?? {}),
  ...Object.values(wire.events ?? {}).map(({ method }) => method),
  ...Object.keys(wire.notifications ?? {}),
  ...Object.keys(aboutOf(wire).serverNotifications ?? {}),
  ...Object.keys(aboutOf(wire).serverRequests ?? {}),
]

type Adds = ReadonlyArray<readonly [capability: string, names: ReadonlyArray<string>]>

/** The additions of a feature to a version. */
const addsOf = (wire: Wire, version: string): Adds => {
  const { since, adds = {} } = aboutOf(wire)
  const explicit = Object.entries(adds[version] ?? {})
  if (since !== version || since === bases[0].version) return explicit
  const elsewhere = Object.values(adds).flatMap((names) => Object.values(names).flat())
  const capabilities = Object.keys(wire.capabilities)
  return capabilities
    .map((name, index): Adds[number] => [
      name,
      index === 0 ? namesOf(wire).filter((each) => !elsewhere.includes(each)) : [],
    ])
    .concat(explicit)
}

const withFeatures = (base: Version): Version => {
  const adds: Record<string, ReadonlyArray<string>> = {}
  const all = [...Object.entries(base.adds), ...wires.flatMap((wire) => addsOf(wire, base.version))]
  for (const [capability, names] of all) adds[capability] = [...(adds[capability] ?? []), ...names]
  return { ...base, adds }
}

/** Every version, oldest first. */
export const versions: readonly [Version, ...ReadonlyArray<Version>] = [
  withFeatures(bases[0]),
  ...bases.slice(1).map(withFeatures),
]

/** The type that tells the capabilities of a server. */
const told = "PartialCapabilities"

/** The version that names a thing, and its capability. */
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
