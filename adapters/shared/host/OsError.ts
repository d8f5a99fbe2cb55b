/**
 * Failures of the operating system: their numbers, and `SpawnError`s with the texts that clients of the protocol know.
 * The numbers are this host's.
 */
import { constants } from "node:os"
import * as SystemText from "../../../core/protocol/SystemText.ts"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"

/** Every other reason is `Unknown`. */
const reasons: Readonly<Record<string, SpawnError.SpawnReason>> = {
  EPERM: "PermissionDenied",
  ENOENT: "NotFound",
  E2BIG: "ResourceLimit",
  ENOEXEC: "NotExecutable",
  EAGAIN: "ResourceLimit",
  ENOMEM: "ResourceLimit",
  EACCES: "PermissionDenied",
  EBUSY: "ResourceLimit",
  ENOTDIR: "NotADirectory",
  EISDIR: "NotExecutable",
  EINVAL: "InvalidArgument",
  ENFILE: "ResourceLimit",
  EMFILE: "ResourceLimit",
  ETXTBSY: "NotExecutable",
  ENOSPC: "ResourceLimit",
  ENAMETOOLONG: "InvalidArgument",
  ENOSYS: "Unsupported",
  ENOTSUP: "Unsupported",
  EDQUOT: "ResourceLimit",
  ELIBBAD: "NotExecutable",
}

/** Names by number. Only of the known ones, because some numbers have two names. */
const names: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.errno).flatMap(([name, number]) =>
    Object.hasOwn(SystemText.texts, name) ? [[number, name]] : [],
  ),
)

/** The text of an error number: `No such file or directory (os error 2)`. */
export const textOf = (errno: number): string => SystemText.of(nameOf(errno), errno)

/** The name of an error number, such as `ENOENT`; empty if it has no text here. */
export const nameOf = (errno: number): string => names.get(errno) ?? ""

export const fromErrno = (errno: number, cause?: unknown): SpawnError.SpawnError =>
  new SpawnError.SpawnError({ reason: reasons[nameOf(errno)] ?? "Unknown", message: textOf(errno), cause })

/** The error number of what a `node:` function threw; 0 if it has none. */
export const errnoOf = (error: unknown): number => {
  if (!(error instanceof Error)) return 0
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  return (constants.errno as Readonly<Record<string, number>>)[code] ?? 0
}

/** True for what a `node:` function threw with one of these codes. */
export const isOne = (error: unknown, ...codes: ReadonlyArray<string>): boolean =>
  codes.includes(nameOf(errnoOf(error)))

/** True for what a `node:` function threw because the disk, or the share of it that one may have, takes no more. */
export const isFull = (error: unknown): boolean => full.has((error as NodeJS.ErrnoException).code)

const full: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"])

/** An error with this code, as `node:` functions throw them. */
export const coded = (code: string): Error => Object.assign(new Error(code), { code })

/** The `SpawnError` of what a `node:` function threw: a failure of the system, or a refused argument. */
export const fromUnknown = (error: unknown): SpawnError.SpawnError => {
  const errno = errnoOf(error)
  if (errno !== 0) return fromErrno(errno, error)
  const message = error instanceof Error ? error.message : String(error)
  return new SpawnError.SpawnError({ reason: "Unknown", message, cause: error })
}
