/**
 * The sandbox object of `process/start` and of the file methods: which confinement the client asks for.
 *
 * Names inside `permissions` are snake_case, as on the wire. Paths are `file:` URIs. `Confinement` resolves a profile
 * on a host. A profile that does not decode is refused, so nothing runs under a profile that is not understood.
 */
import * as Schema from "effect/Schema"
import { nullable, omittable } from "./Fields.ts"
import { NonZero } from "./Integers.ts"
import { lazy, struct } from "./Lazy.ts"
import * as PathField from "./PathField.ts"

const Network = Schema.Literal("restricted", "enabled")

/** `deny` is a synonym of `none`. */
const Access = Schema.Literal("read", "write", "deny", "none")

/** A struct of a choice: its tag, its fields, and its name in error texts. */
const variant = <Fields extends Schema.Struct.Fields>(title: string, fields: Fields) =>
  Schema.Struct(fields).annotations({ title })

/** Places that depend on the host or the request. `unknown` is a kind of a later version and matches nothing. */
const SpecialPath = lazy(() =>
  Schema.Union(
    variant("FileSystemSpecialPath::Root", { kind: Schema.Literal("root") }),
    variant("FileSystemSpecialPath::Minimal", { kind: Schema.Literal("minimal") }),
    variant("FileSystemSpecialPath::ProjectRoots", {
      kind: Schema.Literal("current_working_directory", "project_roots"),
      subpath: omittable(Schema.String),
    }),
    variant("FileSystemSpecialPath::Tmpdir", { kind: Schema.Literal("tmpdir") }),
    variant("FileSystemSpecialPath::SlashTmp", { kind: Schema.Literal("slash_tmp") }),
    variant("FileSystemSpecialPath::Unknown", {
      kind: Schema.Literal("unknown"),
      path: Schema.String,
      subpath: omittable(Schema.String),
    }),
  ).annotations({ identifier: "FileSystemSpecialPath" }),
)
/** A place that depends on the host or the request. */
export type SpecialPath = typeof SpecialPath.Type

/** The place of an entry. */
const EntryPath = lazy(() =>
  Schema.Union(
    variant("ExecFileSystemPath::Path", { type: Schema.Literal("path"), path: PathField.Uri }),
    variant("ExecFileSystemPath::GlobPattern", {
      type: Schema.Literal("glob_pattern"),
      pattern: Schema.String,
    }),
    variant("ExecFileSystemPath::Special", { type: Schema.Literal("special"), value: SpecialPath }),
  ).annotations({ identifier: "ExecFileSystemPath" }),
)

/** The access to a place and to everything below it that has no entry of its own. */
const Entry = struct("ExecFileSystemSandboxEntry", () => ({
  /** The place. */
  path: EntryPath,
  /** The access that is allowed there; `deny` is a synonym of `none`. */
  access: Access,
}))
/** The access to a place. */
export type Entry = typeof Entry.Type

/** The access to files that is allowed. */
const FileSystemPermissions = lazy(() =>
  Schema.Union(
    variant("ExecManagedFileSystemPermissions::Restricted", {
      type: Schema.Literal("restricted"),
      entries: Schema.Array(Entry),
      glob_scan_max_depth: omittable(NonZero),
    }),
    variant("ExecManagedFileSystemPermissions::Unrestricted", { type: Schema.Literal("unrestricted") }),
  ).annotations({ identifier: "ExecManagedFileSystemPermissions" }),
)

/** The permissions. */
const Permissions = lazy(() =>
  Schema.Union(
    variant("ExecPermissionProfile::Managed", {
      type: Schema.Literal("managed"),
      file_system: FileSystemPermissions,
      network: Network,
    }),
    variant("ExecPermissionProfile::Disabled", { type: Schema.Literal("disabled") }),
    variant("ExecPermissionProfile::External", { type: Schema.Literal("external"), network: Network }),
  ).annotations({ identifier: "ExecPermissionProfile" }),
)

const Uris = lazy(() => Schema.Array(PathField.Uri))

/** What a later version may ask for beside a profile. This server confines by the profile alone. */
const Override = Schema.Literal("noOverride", "escalatedSandboxWithRestrictions", "bypassSandboxFirstAttempt")

/** The directories that the kinds of a profile refer to. */
const PolicyContext = struct("WireFileSystemPolicyContext", () => ({
  cwd: omittable(PathField.Uri),
  /** The roots of the project, as `file:` URIs. */
  workspaceRoots: Schema.optional(Uris),
}))

/** `policyContext` overrides `cwd` and `workspaceRoots` as what the kinds of a profile refer to. */
const SandboxStruct = struct("WireFileSystemSandboxContext", () => ({
  /** The permissions. */
  permissions: Permissions,
  /** The override that a later version may ask for beside the profile. */
  sandboxOverride: Schema.optional(Override),
  cwd: omittable(PathField.Uri),
  /** The directories that the kinds of the profile refer to, instead of the rest. */
  policyContext: omittable(PolicyContext),
  /** The roots of the project, as `file:` URIs. */
  workspaceRoots: Schema.optional(Uris),
  /** The home of the user, as a `file:` URI. */
  userHomeDir: omittable(PathField.Uri),
  /** The folders for temporary files, as `file:` URIs. */
  temporaryDirectories: omittable(Uris),
  /** The confinement of Windows. */
  windowsSandboxLevel: Schema.Literal("disabled", "restricted-token", "elevated", "mxc"),
  /** The treatment of the proxy of Windows. */
  windowsSandboxProxySettingsMode: nullable(Schema.Literal("reconcile", "preserve")),
  /** Whether an earlier confinement of Linux is meant. */
  useLegacyLandlock: Schema.optional(Schema.Boolean),
}))
/** The sandbox object. An interface, so that declarations name it instead of repeating it. */
export interface Sandbox extends Schema.Schema.Type<typeof SandboxStruct> {}
/** The sandbox object, as on the wire. */
export interface SandboxEncoded extends Schema.Schema.Encoded<typeof SandboxStruct> {}
/** The schema of the sandbox object. */
export const Sandbox: Schema.Schema<Sandbox, SandboxEncoded> = SandboxStruct
