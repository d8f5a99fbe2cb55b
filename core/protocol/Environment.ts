/** What a server reports about itself and its host: `environment/info` and `environment/status`. */
import * as Schema from "effect/Schema"
import * as Features from "../features/Wires.ts"
import type { Json } from "./Json.ts"
import { describe, isObject } from "./Json.ts"
import { lazy, struct } from "./Lazy.ts"

/** The user's shell. `name` is its base name, `path` a native path. */
export const Shell = struct("Shell", () => ({
  /** Its base name. */
  name: Schema.String,
  /** Its native path. */
  path: Schema.String,
}))

/** True for what this server supports; a client must not use what is false. */
export const Capabilities = struct("Capabilities", () => ({
  /** `networkProxy` of `process/start`. */
  networkProxyLaunch: Schema.Boolean,
  /** Reviews of domains by the network proxy. */
  networkProxyReviewDomains: Schema.Boolean,
  /** `transparentTcp` of a managed network and of its proxy. */
  networkProxyTransparentTcp: Schema.Boolean,
  /** Masked credentials in the network proxy. */
  credentialMasking: Schema.Boolean,
  /** Masked credentials of other providers. */
  credentialMaskingCustomProviders: Schema.Boolean,
  /** Discovery of capabilities under a sandbox. */
  capabilityDiscoverySandbox: Schema.Boolean,
  /** `fs/watchMissing`. */
  fsWatchMissing: Schema.Boolean,
  /** The second form of the discovery of capabilities. */
  capabilityDiscoveryV2: Schema.Boolean,
  /** Reading of the configuration of the environment. */
  environmentConfigRead: Schema.Boolean,
  /** `valueEnvVar` of the headers of `http/request`. */
  httpHeaderEnvVars: Schema.Boolean,
  /** `sandbox` of `fs/open`. */
  sandboxedFileStreaming: Schema.Boolean,
  /** `fs/writeBlock`. */
  fileWriteStreaming: Schema.Boolean,
  /** The second form of `shellSnapshot` of `process/start`. */
  shellSnapshotV2: Schema.Boolean,
  /** The confinement `mxc` of Windows. */
  windowsMxc: Schema.Boolean,
  /** A writable root keeps the devices of Linux. */
  linuxRootWritePreservesDevices: Schema.Boolean,
  /** An approved writable root keeps the other restrictions on Linux. */
  linuxApprovedRootWritePreservesRestrictions: Schema.Boolean,
  /** Beyond the peer implementation: `process/resize`, and `terminalSize` of `process/start`. */
  processResize: Schema.Boolean,
  /** Beyond the peer implementation: `process/closeStdin`. */
  processCloseStdin: Schema.Boolean,
  /** Beyond the peer implementation: `terminate`, `hangup` and `quit` in `process/signal`. */
  processSignals: Schema.Boolean,
  /** Beyond the peer implementation: `replayAfter` of `initialize`. */
  sessionReplay: Schema.Boolean,
  /** Beyond the peer implementation: `takeover` of `initialize`. */
  sessionTakeover: Schema.Boolean,
  /** Beyond the peer implementation: `request/cancel`. */
  requestCancel: Schema.Boolean,
  /** Beyond the peer implementation: `process/list`, `session/list`, and `name` and `labels` of `process/start`. */
  processList: Schema.Boolean,
  /** Beyond the peer implementation: `process/changes`. */
  processChanges: Schema.Boolean,
  /** Beyond the peer implementation: both lists show every session of the server, with `sessions: "all"`. */
  processListAll: Schema.Boolean,
  ...Features.capabilities,
  /** Beyond the peer implementation: `session/end`. */
  sessionEnd: Schema.Boolean,
}))
/** The capabilities of a server. */
export type Capabilities = typeof Capabilities.Type

/** Every capability false: what a server announces unless it supports more. */
export const noCapabilities = lazy(
  () => Object.fromEntries(Object.keys(Capabilities.fields).map((name) => [name, false])) as Capabilities,
)

/** The abilities of a server; a client must not use one that is absent or false. */
const Partial = lazy(() => Schema.partial(Capabilities).annotations({ identifier: "PartialCapabilities" }))

/** Paths are `file:` URIs. Only `shell` is always there; older servers leave out the rest. */
export const EnvironmentInfo = struct("EnvironmentInfo", () => ({
  shell: Shell,
  /** The version of the server, or of the peer that it is compatible with. */
  executorVersion: Schema.optional(Schema.String),
  /** The name that tells this server from others. */
  providerId: Schema.optional(Schema.NullOr(Schema.String)),
  /** The working directory of the server, as a `file:` URI. */
  cwd: Schema.optional(Schema.NullOr(Schema.String)),
  /** The home of the user, as a `file:` URI. */
  userHomeDir: Schema.optional(Schema.NullOr(Schema.String)),
  /** The operating system: `linux`, `macos`, `windows`. */
  platformOs: Schema.optional(Schema.NullOr(Schema.String)),
  /** Folders that clients put in front of `PATH`, as `file:` URIs. */
  prependPathDirs: Schema.optional(Schema.Array(Schema.String)),
  /** Folders for temporary files, as `file:` URIs. */
  temporaryDirectories: Schema.optional(Schema.Array(Schema.String)),
  /** The folder for temporary files, as a `file:` URI. */
  tempDir: Schema.optional(Schema.NullOr(Schema.String)),
  capabilities: Schema.optional(Partial),
}))
/** A server and its host. */
export type EnvironmentInfo = typeof EnvironmentInfo.Type

/** No params: absent, null or an empty object. */
export const NoParams = lazy(() =>
  Schema.Unknown.pipe(
    Schema.filter(
      (params) => params === null || (isObject(params as Json) && Object.keys(params as object).length === 0),
      {
        message: ({ actual }) => `invalid type: ${describe(actual)}, expected unit`,
        jsonSchema: { anyOf: [{ type: "object", maxProperties: 0 }, { type: "null" }] },
      },
    ),
  ).annotations({ identifier: "unit" }),
)

/** The server is alive. */
export const EnvironmentStatus = struct("EnvironmentStatus", () => ({
  /** The server is alive. */
  status: Schema.Literal("ready"),
}))
