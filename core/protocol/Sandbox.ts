/**
 * The sandbox object of `process/start` and of the file methods: which confinement the client asks for.
 *
 * Names inside `permissions` are snake_case, as on the wire. Paths are `file:` URIs. `Confinement` resolves a profile
 * on a host. A profile that does not decode is refused, so nothing runs under a profile that is not understood.
 */
import * as Shape from "./shape/index.ts"
import { NonZero } from "./Integers.ts"
import * as Result from "effect/Result"
import * as PathUri from "./PathUri.ts"

const Network = Shape.words("restricted", "enabled")

/** `deny` is a synonym of `none`. */
const Access = Shape.words("read", "write", "deny", "none")

/** Places that depend on the host or the request. `unknown` is a kind of a later version and matches nothing. */
const SpecialPath = Shape.tagged(
  "FileSystemSpecialPath",
  Shape.variant("FileSystemSpecialPath::Root", { kind: Shape.words("root") }),
  Shape.variant("FileSystemSpecialPath::Minimal", { kind: Shape.words("minimal") }),
  Shape.variant("FileSystemSpecialPath::ProjectRoots", {
    kind: Shape.words("current_working_directory", "project_roots"),
    subpath: Shape.omittable(Shape.string),
  }),
  Shape.variant("FileSystemSpecialPath::Tmpdir", { kind: Shape.words("tmpdir") }),
  Shape.variant("FileSystemSpecialPath::SlashTmp", { kind: Shape.words("slash_tmp") }),
  Shape.variant("FileSystemSpecialPath::Unknown", {
    kind: Shape.words("unknown"),
    path: Shape.string,
    subpath: Shape.omittable(Shape.string),
  }),
)
/** A place that depends on the host or the request. */
export type SpecialPath = typeof SpecialPath.Type

/** The place of an entry. */
const EntryPath = Shape.tagged(
  "ExecFileSystemPath",
  Shape.variant("ExecFileSystemPath::Path", { type: Shape.words("path"), path: PathUri.Uri }),
  Shape.variant("ExecFileSystemPath::GlobPattern", {
    type: Shape.words("glob_pattern"),
    pattern: Shape.string,
  }),
  Shape.variant("ExecFileSystemPath::Special", { type: Shape.words("special"), value: SpecialPath }),
)

/** The access to a place and to everything below it that has no entry of its own. */
const Entry = Shape.struct("ExecFileSystemSandboxEntry", {
  /** The place. */
  path: EntryPath,
  /** The access that is allowed there; `deny` is a synonym of `none`. */
  access: Access,
})
/** The access to a place. */
export type Entry = typeof Entry.Type

/** The access to files that is allowed. */
const FileSystemPermissions = Shape.tagged(
  "ExecManagedFileSystemPermissions",
  Shape.variant("ExecManagedFileSystemPermissions::Restricted", {
    type: Shape.words("restricted"),
    entries: Shape.list(Entry),
    glob_scan_max_depth: Shape.omittable(NonZero),
  }),
  Shape.variant("ExecManagedFileSystemPermissions::Unrestricted", { type: Shape.words("unrestricted") }),
)

/** The permissions. */
const Permissions = Shape.tagged(
  "ExecPermissionProfile",
  Shape.variant("ExecPermissionProfile::Managed", {
    type: Shape.words("managed"),
    file_system: FileSystemPermissions,
    network: Network,
  }),
  Shape.variant("ExecPermissionProfile::Disabled", { type: Shape.words("disabled") }),
  Shape.variant("ExecPermissionProfile::External", { type: Shape.words("external"), network: Network }),
)

const Uris = Shape.list(PathUri.Uri)

/** Requests of later versions beside a profile. This server confines by the profile alone. */
const Override = Shape.words("noOverride", "escalatedSandboxWithRestrictions", "bypassSandboxFirstAttempt")

/** The directories that the kinds of a profile refer to. */
const PolicyContext = Shape.struct("WireFileSystemPolicyContext", {
  /** The working directory, as a `file:` URI. */
  cwd: Shape.omittable(PathUri.Uri),
  /** The roots of the project, as `file:` URIs. */
  workspaceRoots: Shape.optional(Uris),
})

/** `policyContext` overrides `cwd` and `workspaceRoots` as what the kinds of a profile refer to. */
const SandboxStruct = Shape.struct("WireFileSystemSandboxContext", {
  /** The permissions. */
  permissions: Permissions,
  /** The override that a later version may ask for beside the profile. */
  sandboxOverride: Shape.optional(Override),
  /** The working directory, as a `file:` URI. */
  cwd: Shape.omittable(PathUri.Uri),
  /** The directories that the kinds of the profile refer to, instead of the rest. */
  policyContext: Shape.omittable(PolicyContext),
  /** The roots of the project, as `file:` URIs. */
  workspaceRoots: Shape.optional(Uris),
  /** The home of the user, as a `file:` URI. */
  userHomeDir: Shape.omittable(PathUri.Uri),
  /** The folders for temporary files, as `file:` URIs. */
  temporaryDirectories: Shape.omittable(Uris),
  /** The confinement of Windows. */
  windowsSandboxLevel: Shape.words("disabled", "restricted-token", "elevated", "mxc"),
  /** The treatment of the proxy of Windows. */
  windowsSandboxProxySettingsMode: Shape.nullable(Shape.words("reconcile", "preserve")),
  /** True if an earlier confinement of Linux is meant. */
  useLegacyLandlock: Shape.optional(Shape.boolean),
})
/** The sandbox object. An interface, so that declarations name it instead of repeating it. */
export interface Sandbox extends Shape.Type<typeof SandboxStruct> {}
/** The sandbox object, as on the wire. */
export interface SandboxEncoded extends Shape.Encoded<typeof SandboxStruct> {}
/** The shape of the sandbox object. */
export const Sandbox: Shape.Shape<Sandbox, SandboxEncoded> = SandboxStruct

/** The part of a path in a sandbox object. */
export type Role = "permission" | "cwd" | "root"

/** A path that is none of this host, and what it is there. */
export interface Foreign {
  /** Its part in the sandbox object. */
  readonly role: Role
  /** The reason why it is no path of this host. */
  readonly error: PathUri.PathUriError
}

/** The first path that is none of this host, looked for in this order. `cwd` is that of a sandbox object without one. */
export const foreign = (
  sandbox: Sandbox,
  platform: string,
  order: ReadonlyArray<Role>,
  cwd?: string,
): Foreign | undefined => {
  for (const role of order) {
    for (const uri of ofRole(sandbox, role, cwd)) {
      const path = PathUri.toPath(uri, platform)
      if (Result.isFailure(path)) return { role, error: path.failure }
    }
  }
  return undefined
}

/** True unless every file may be written, by a profile that says so at once. */
export const isRestricted = ({ permissions }: Sandbox): boolean =>
  permissions.type === "managed" &&
  permissions.file_system.type === "restricted" &&
  !(
    permissions.file_system.entries.length > 0 &&
    permissions.file_system.entries.every(
      ({ path, access }) => access === "write" && path.type === "special" && path.value.kind === "root",
    )
  )

const ofRole = (sandbox: Sandbox, role: Role, otherwise: string | undefined): ReadonlyArray<string> => {
  switch (role) {
    case "permission":
      return permissionPaths(sandbox)
    case "cwd": {
      const cwd = sandbox.policyContext?.cwd ?? sandbox.cwd ?? otherwise
      return cwd === undefined ? [] : [cwd]
    }
    case "root":
      return sandbox.policyContext?.workspaceRoots ?? sandbox.workspaceRoots ?? []
  }
}

const permissionPaths = ({ permissions }: Sandbox): ReadonlyArray<string> =>
  permissions.type === "managed" && permissions.file_system.type === "restricted"
    ? permissions.file_system.entries.flatMap(({ path }) => (path.type === "path" ? [path.path] : []))
    : []
