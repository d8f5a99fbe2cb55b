/** What a server reports about itself and its host: `environment/info` and `environment/status`. */
import * as Schema from "effect/Schema"
import * as Features from "../features/Wires.ts"
import type { Json } from "./Json.ts"
import { describe, isObject } from "./Json.ts"
import { later, struct } from "./Later.ts"

/** The user's shell. `name` is its base name, `path` a native path. */
export const Shell = struct("Shell", () => ({ name: Schema.String, path: Schema.String }))

/** True for what this server supports; a client must not use what is false. */
export const Capabilities = struct("Capabilities", () => ({
  networkProxyLaunch: Schema.Boolean,
  networkProxyReviewDomains: Schema.Boolean,
  networkProxyTransparentTcp: Schema.Boolean,
  credentialMasking: Schema.Boolean,
  credentialMaskingCustomProviders: Schema.Boolean,
  capabilityDiscoverySandbox: Schema.Boolean,
  fsWatchMissing: Schema.Boolean,
  capabilityDiscoveryV2: Schema.Boolean,
  environmentConfigRead: Schema.Boolean,
  httpHeaderEnvVars: Schema.Boolean,
  sandboxedFileStreaming: Schema.Boolean,
  fileWriteStreaming: Schema.Boolean,
  shellSnapshotV2: Schema.Boolean,
  windowsMxc: Schema.Boolean,
  linuxRootWritePreservesDevices: Schema.Boolean,
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
  /** Beyond the peer implementation: `history` of `process/start`, `process/history` and `process/grep`. */
  outputHistory: Schema.Boolean,
  /** Beyond the peer implementation: `process/list`, `session/list`, and `name` and `labels` of `process/start`. */
  processList: Schema.Boolean,
  /** Beyond the peer implementation: `process/changes`. */
  processChanges: Schema.Boolean,
  /** Beyond the peer implementation: both lists show every session of the server, with `sessions: "all"`. */
  processListAll: Schema.Boolean,
  ...Features.capabilities,
  /** Beyond the peer implementation: `process/attach`, `process/detach`, and `remove` of `process/terminate`. */
  processAttach: Schema.Boolean,
  /** Beyond the peer implementation: this client may view the processes of every session. */
  processAttachAll: Schema.Boolean,
  /**
   * Beyond the peer implementation: this client may also write to them, end and remove them, and let its own be kept
   * (`keep` of `process/start`).
   */
  processControlAll: Schema.Boolean,
  /** Beyond the peer implementation: `process/screen`. */
  processScreen: Schema.Boolean,
  /** Beyond the peer implementation: `session/end`. */
  sessionEnd: Schema.Boolean,
  /** Beyond the peer implementation: `fs/rename`, `fs/setMode` and `fs/createSymlink`. */
  fsChange: Schema.Boolean,
}))
/** The capabilities of a server. */
export type Capabilities = typeof Capabilities.Type

/** Every capability false: what a server announces unless it supports more. */
export const noCapabilities = later(
  () => Object.fromEntries(Object.keys(Capabilities.fields).map((name) => [name, false])) as Capabilities,
)

const Partial = later(() => Schema.partial(Capabilities).annotations({ identifier: "PartialCapabilities" }))

/** Paths are `file:` URIs. Only `shell` is always there; older servers leave out the rest. */
export const EnvironmentInfo = struct("EnvironmentInfo", () => ({
  shell: Shell,
  executorVersion: Schema.optional(Schema.String),
  providerId: Schema.optional(Schema.NullOr(Schema.String)),
  cwd: Schema.optional(Schema.NullOr(Schema.String)),
  userHomeDir: Schema.optional(Schema.NullOr(Schema.String)),
  platformOs: Schema.optional(Schema.NullOr(Schema.String)),
  prependPathDirs: Schema.optional(Schema.Array(Schema.String)),
  temporaryDirectories: Schema.optional(Schema.Array(Schema.String)),
  tempDir: Schema.optional(Schema.NullOr(Schema.String)),
  capabilities: Schema.optional(Partial),
}))
/** A server and its host. */
export type EnvironmentInfo = typeof EnvironmentInfo.Type

/** No params: absent, null or an empty object. */
export const NoParams = later(() =>
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
export const EnvironmentStatus = struct("EnvironmentStatus", () => ({ status: Schema.Literal("ready") }))
