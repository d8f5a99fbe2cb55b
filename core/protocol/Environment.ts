/** Facts that a server reports about itself and its host: `environment/info` and `environment/status`. */
import * as Shape from "./shape/index.ts"
import * as Features from "../features/Wires.ts"
import { describe, isObject } from "./Json.ts"
import { Fault } from "./shape/Shape.ts"

/** The user's shell. `name` is its base name, `path` a native path. */
export const Shell = Shape.struct("Shell", {
  /** Its base name. */
  name: Shape.string,
  /** Its native path. */
  path: Shape.string,
})

/** True for what this server supports; a client must not use what is false. */
export const Capabilities = Shape.struct("Capabilities", {
  /** `networkProxy` of `process/start`. */
  networkProxyLaunch: Shape.boolean,
  /** Reviews of domains by the network proxy. */
  networkProxyReviewDomains: Shape.boolean,
  /** `transparentTcp` of a managed network and of its proxy. */
  networkProxyTransparentTcp: Shape.boolean,
  /** Masked credentials in the network proxy. */
  credentialMasking: Shape.boolean,
  /** Masked credentials of other providers. */
  credentialMaskingCustomProviders: Shape.boolean,
  /** Discovery of capabilities under a sandbox. */
  capabilityDiscoverySandbox: Shape.boolean,
  /** `fs/watchMissing`. */
  fsWatchMissing: Shape.boolean,
  /** The second form of the discovery of capabilities. */
  capabilityDiscoveryV2: Shape.boolean,
  /** Reading of the configuration of the environment. */
  environmentConfigRead: Shape.boolean,
  /** `valueEnvVar` of the headers of `http/request`. */
  httpHeaderEnvVars: Shape.boolean,
  /** `sandbox` of `fs/open`. */
  sandboxedFileStreaming: Shape.boolean,
  /** `fs/writeBlock`. */
  fileWriteStreaming: Shape.boolean,
  /** The second form of `shellSnapshot` of `process/start`. */
  shellSnapshotV2: Shape.boolean,
  /** The confinement `mxc` of Windows. */
  windowsMxc: Shape.boolean,
  /** A writable root keeps the devices of Linux. */
  linuxRootWritePreservesDevices: Shape.boolean,
  /** An approved writable root keeps the other restrictions on Linux. */
  linuxApprovedRootWritePreservesRestrictions: Shape.boolean,
  /** Beyond the peer implementation: `process/resize`, and `terminalSize` of `process/start`. */
  processResize: Shape.boolean,
  /** Beyond the peer implementation: `process/closeStdin`. */
  processCloseStdin: Shape.boolean,
  /** Beyond the peer implementation: `terminate`, `hangup` and `quit` in `process/signal`. */
  processSignals: Shape.boolean,
  /** Beyond the peer implementation: `replayAfter` of `initialize`. */
  sessionReplay: Shape.boolean,
  /** Beyond the peer implementation: `takeover` of `initialize`. */
  sessionTakeover: Shape.boolean,
  /** Beyond the peer implementation: `request/cancel`. */
  requestCancel: Shape.boolean,
  /** Beyond the peer implementation: `process/list`, `session/list`, and `name` and `labels` of `process/start`. */
  processList: Shape.boolean,
  /** Beyond the peer implementation: `process/changes`. */
  processChanges: Shape.boolean,
  /** Beyond the peer implementation: both lists show every session of the server, with `sessions: "all"`. */
  processListAll: Shape.boolean,
  ...Features.capabilities,
  /** Beyond the peer implementation: `session/end`. */
  sessionEnd: Shape.boolean,
})
/** The capabilities of a server. */
export type Capabilities = typeof Capabilities.Type

/** Every capability false: what a server announces unless it supports more. */
export const noCapabilities = Object.fromEntries(
  Object.keys(Capabilities.fields).map((name) => [name, false]),
) as Capabilities

/** The abilities of a server; a client must not use one that is absent or false. */
const Partial = Shape.partial("PartialCapabilities", Capabilities)

/** Paths are `file:` URIs. Only `shell` is always there; older servers leave out the rest. */
export const EnvironmentInfo = Shape.struct("EnvironmentInfo", {
  shell: Shell,
  /** The version of the server, or of the peer that it is compatible with. */
  executorVersion: Shape.optional(Shape.string),
  /** The name that tells this server from others. */
  providerId: Shape.nullable(Shape.string),
  /** The working directory of the server, as a `file:` URI. */
  cwd: Shape.nullable(Shape.string),
  /** The home of the user, as a `file:` URI. */
  userHomeDir: Shape.nullable(Shape.string),
  /** The operating system: `linux`, `macos`, `windows`. */
  platformOs: Shape.nullable(Shape.string),
  /** Folders that clients put in front of `PATH`, as `file:` URIs. */
  prependPathDirs: Shape.optional(Shape.list(Shape.string)),
  /** Folders for temporary files, as `file:` URIs. */
  temporaryDirectories: Shape.optional(Shape.list(Shape.string)),
  /** The folder for temporary files, as a `file:` URI. */
  tempDir: Shape.nullable(Shape.string),
  capabilities: Shape.optional(Partial),
})
/** A server and its host. */
export type EnvironmentInfo = typeof EnvironmentInfo.Type

/** No params: absent, null or an empty object. */
export const NoParams = Shape.leaf<unknown>(
  { anyOf: [{ type: "object", maxProperties: 0 }, { type: "null" }] },
  (params) => {
    if (params === null || (isObject(params) && Object.keys(params).length === 0)) return params
    throw new Fault(`invalid type: ${describe(params)}, expected unit`)
  },
)

/** The server is alive. */
export const EnvironmentStatus = Shape.struct("EnvironmentStatus", {
  /** The server is alive. */
  status: Shape.words("ready"),
})
