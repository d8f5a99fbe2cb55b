/**
 * The paths in a sandbox object, judged before its profile is resolved: one of another host is refused, not ignored.
 *
 * Which fault is told first, and when, is as in the peer implementation; the requests for files and the start of a
 * process differ in both.
 */
import * as Result from "effect/Result"
import * as PathUri from "./PathUri.ts"
import type { Sandbox } from "./Sandbox.ts"

/** What a path is in a sandbox object. */
export type Role = "permission" | "cwd" | "root"

/** A path that is none of this host, and what it is there. */
export interface Foreign {
  readonly role: Role
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
