/**
 * Failures of the operating system: their numbers, and `SpawnError`s with the texts that clients of the protocol know.
 *
 * The texts are those of musl's `strerror`, because the peer is a musl build: where glibc says "Too many open files",
 * musl says "No file descriptors available". The numbers are this host's.
 */
import { constants } from "node:os"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"

const known: Readonly<Record<string, readonly [SpawnError.SpawnReason, string]>> = {
  EPERM: ["PermissionDenied", "Operation not permitted"],
  ENOENT: ["NotFound", "No such file or directory"],
  EIO: ["Unknown", "I/O error"],
  E2BIG: ["ResourceLimit", "Argument list too long"],
  ENOEXEC: ["NotExecutable", "Exec format error"],
  EBADF: ["Unknown", "Bad file descriptor"],
  EAGAIN: ["ResourceLimit", "Resource temporarily unavailable"],
  ENOMEM: ["ResourceLimit", "Out of memory"],
  EACCES: ["PermissionDenied", "Permission denied"],
  EBUSY: ["ResourceLimit", "Resource busy"],
  EEXIST: ["Unknown", "File exists"],
  ENOTDIR: ["NotADirectory", "Not a directory"],
  EISDIR: ["NotExecutable", "Is a directory"],
  EINVAL: ["InvalidArgument", "Invalid argument"],
  ENFILE: ["ResourceLimit", "Too many open files in system"],
  EMFILE: ["ResourceLimit", "No file descriptors available"],
  ETXTBSY: ["NotExecutable", "Text file busy"],
  ENOSPC: ["ResourceLimit", "No space left on device"],
  ENAMETOOLONG: ["InvalidArgument", "Filename too long"],
  ENOSYS: ["Unsupported", "Function not implemented"],
  ELOOP: ["Unknown", "Symbolic link loop"],
  EADDRINUSE: ["Unknown", "Address in use"],
  EADDRNOTAVAIL: ["Unknown", "Address not available"],
  ENETUNREACH: ["Unknown", "Network unreachable"],
  ETIMEDOUT: ["Unknown", "Operation timed out"],
  ECONNREFUSED: ["Unknown", "Connection refused"],
  EHOSTUNREACH: ["Unknown", "Host is unreachable"],
  ENXIO: ["Unknown", "No such device or address"],
  EXDEV: ["Unknown", "Cross-device link"],
  ENODEV: ["Unknown", "No such device"],
  EFBIG: ["Unknown", "File too large"],
  ESPIPE: ["Unknown", "Invalid seek"],
  EROFS: ["Unknown", "Read-only file system"],
  EMLINK: ["Unknown", "Too many links"],
  EPIPE: ["Unknown", "Broken pipe"],
  ENOTEMPTY: ["Unknown", "Directory not empty"],
  EOVERFLOW: ["Unknown", "Value too large for data type"],
  ENOTSUP: ["Unsupported", "Not supported"],
  ESTALE: ["Unknown", "Stale file handle"],
  EDQUOT: ["ResourceLimit", "Quota exceeded"],
  EINTR: ["Unknown", "Interrupted system call"],
  ELIBBAD: ["NotExecutable", "Accessing a corrupted shared library"],
}

/** Names by number. Only of the known ones, because some numbers have two names. */
const names: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.errno).flatMap(([name, number]) => (name in known ? [[number, name]] : [])),
)

/** The text of an error number: `No such file or directory (os error 2)`. */
export const textOf = (errno: number): string => {
  const [, text] = known[nameOf(errno)] ?? ["", "No error information"]
  return `${text} (os error ${errno})`
}

/** The name of an error number, such as `ENOENT`; empty if it has no text here. */
export const nameOf = (errno: number): string => names.get(errno) ?? ""

/** The `SpawnError` of an error number. */
export const fromErrno = (errno: number, cause?: unknown): SpawnError.SpawnError => {
  const [reason] = known[nameOf(errno)] ?? ["Unknown"]
  return new SpawnError.SpawnError({ reason, message: textOf(errno), cause })
}

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
