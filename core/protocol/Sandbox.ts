/**
 * The sandbox object of `process/start`: which confinement the client asks for.
 *
 * Only the part that decides whether a request may run unconfined is modelled. Names inside
 * `permissions` are snake_case, as on the wire.
 */
import * as Schema from "effect/Schema"

const Network = Schema.Literal("enabled", "restricted")

const FileSystemPermissions = Schema.Union(
  Schema.Struct({ type: Schema.Literal("unrestricted") }),
  Schema.Struct({ type: Schema.Literal("restricted"), entries: Schema.Array(Schema.Unknown) }),
)

export const Permissions = Schema.Union(
  Schema.Struct({ type: Schema.Literal("disabled") }),
  Schema.Struct({ type: Schema.Literal("external"), network: Network }),
  Schema.Struct({ type: Schema.Literal("managed"), file_system: FileSystemPermissions, network: Network }),
)

export const Sandbox = Schema.Struct({
  permissions: Permissions,
  windowsSandboxLevel: Schema.Literal("disabled", "restricted-token", "elevated", "mxc"),
}).annotations({ identifier: "SandboxContext" })
export type Sandbox = typeof Sandbox.Type

/** True if the request may run with the server's own rights. */
export const isUnconfined = ({ permissions }: Sandbox): boolean =>
  permissions.type !== "managed" ||
  (permissions.file_system.type === "unrestricted" && permissions.network === "enabled")

/** True if a request about files may run with the server's own rights: no access to files is restricted. */
export const allowsEveryFile = ({ permissions }: Sandbox): boolean =>
  permissions.type !== "managed" || permissions.file_system.type === "unrestricted"
