/**
 * The sandbox object of `process/start` and of the file methods: which confinement the client asks for.
 *
 * Names inside `permissions` are snake_case, as on the wire. Paths are `file:` URIs. `Confinement` resolves a profile
 * on a host. A profile that does not decode is refused, so nothing runs under a profile that is not understood.
 */
import * as Schema from "effect/Schema"
import { U64 } from "./Integers.ts"

const nullable = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

const Network = Schema.Literal("restricted", "enabled")

/** `deny` is a synonym of `none`. */
const Access = Schema.Literal("read", "write", "none", "deny")

/** Places that depend on the host or the request. `unknown` is a kind of a later version and matches nothing. */
const SpecialPath = Schema.Union(
  Schema.Struct({
    kind: Schema.Literal("root", "minimal", "current_working_directory", "tmpdir", "slash_tmp"),
  }),
  Schema.Struct({ kind: Schema.Literal("project_roots"), subpath: nullable(Schema.String) }),
  Schema.Struct({
    kind: Schema.Literal("unknown"),
    path: Schema.String,
    subpath: nullable(Schema.String),
  }),
).annotations({ identifier: "FileSystemSpecialPath" })
/** A place that depends on the host or the request. */
export type SpecialPath = typeof SpecialPath.Type

const EntryPath = Schema.Union(
  Schema.Struct({ type: Schema.Literal("path"), path: Schema.String }),
  Schema.Struct({ type: Schema.Literal("glob_pattern"), pattern: Schema.String }),
  Schema.Struct({ type: Schema.Literal("special"), value: SpecialPath }),
).annotations({ identifier: "FileSystemPath" })

/** The access to a place and to everything below it that has no entry of its own. */
const Entry = Schema.Struct({ path: EntryPath, access: Access }).annotations({
  identifier: "FileSystemSandboxEntry",
})
/** The access to a place. */
export type Entry = typeof Entry.Type

const FileSystemPermissions = Schema.Union(
  Schema.Struct({
    type: Schema.Literal("restricted"),
    entries: Schema.Array(Entry),
    glob_scan_max_depth: nullable(U64),
  }),
  Schema.Struct({ type: Schema.Literal("unrestricted") }),
)

const Permissions = Schema.Union(
  Schema.Struct({ type: Schema.Literal("managed"), file_system: FileSystemPermissions, network: Network }),
  Schema.Struct({ type: Schema.Literal("disabled") }),
  Schema.Struct({ type: Schema.Literal("external"), network: Network }),
)

const Uris = Schema.Array(Schema.String)

/** `policyContext` overrides `cwd` and `workspaceRoots` as what the kinds of a profile refer to. */
export const Sandbox = Schema.Struct({
  permissions: Permissions,
  cwd: nullable(Schema.String),
  policyContext: nullable(
    Schema.Struct({ cwd: nullable(Schema.String), workspaceRoots: nullable(Uris) }).annotations({
      identifier: "FileSystemPolicyContext",
    }),
  ),
  workspaceRoots: Schema.optional(Uris),
  userHomeDir: nullable(Schema.String),
  temporaryDirectories: nullable(Uris),
  windowsSandboxLevel: Schema.Literal("disabled", "restricted-token", "elevated", "mxc"),
  windowsSandboxProxySettingsMode: Schema.optional(Schema.Literal("reconcile", "preserve")),
  useLegacyLandlock: Schema.optional(Schema.Boolean),
}).annotations({ identifier: "SandboxContext" })
/** The sandbox object. */
export type Sandbox = typeof Sandbox.Type
