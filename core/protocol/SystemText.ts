/**
 * The texts of failures of the operating system, as error responses have them, such as `No such file or directory
 * (os error 2)`.
 *
 * They are those of musl's `strerror`, because the peer is a musl build: where glibc says "Too many open files", musl
 * says "No file descriptors available".
 */

/** The errors by their names: the number on Linux, and the text. */
const table = {
  EPERM: [1, "Operation not permitted"],
  ENOENT: [2, "No such file or directory"],
  EIO: [5, "I/O error"],
  E2BIG: [7, "Argument list too long"],
  ENOEXEC: [8, "Exec format error"],
  EBADF: [9, "Bad file descriptor"],
  EAGAIN: [11, "Resource temporarily unavailable"],
  ENOMEM: [12, "Out of memory"],
  EACCES: [13, "Permission denied"],
  EBUSY: [16, "Resource busy"],
  EEXIST: [17, "File exists"],
  ENOTDIR: [20, "Not a directory"],
  EISDIR: [21, "Is a directory"],
  EINVAL: [22, "Invalid argument"],
  ENFILE: [23, "Too many open files in system"],
  EMFILE: [24, "No file descriptors available"],
  ETXTBSY: [26, "Text file busy"],
  ENOSPC: [28, "No space left on device"],
  ENAMETOOLONG: [36, "Filename too long"],
  ENOSYS: [38, "Function not implemented"],
  ELOOP: [40, "Symbolic link loop"],
  EADDRINUSE: [98, "Address in use"],
  EADDRNOTAVAIL: [99, "Address not available"],
  ENETUNREACH: [101, "Network unreachable"],
  ETIMEDOUT: [110, "Operation timed out"],
  ECONNREFUSED: [111, "Connection refused"],
  EHOSTUNREACH: [113, "Host is unreachable"],
  ENXIO: [6, "No such device or address"],
  EXDEV: [18, "Cross-device link"],
  ENODEV: [19, "No such device"],
  EFBIG: [27, "File too large"],
  ESPIPE: [29, "Invalid seek"],
  EROFS: [30, "Read-only file system"],
  EMLINK: [31, "Too many links"],
  EPIPE: [32, "Broken pipe"],
  ENOTEMPTY: [39, "Directory not empty"],
  EOVERFLOW: [75, "Value too large for data type"],
  ENOTSUP: [95, "Not supported"],
  ESTALE: [116, "Stale file handle"],
  EDQUOT: [122, "Quota exceeded"],
  EINTR: [4, "Interrupted system call"],
  ELIBBAD: [80, "Accessing a corrupted shared library"],
} as const satisfies { readonly [name: string]: readonly [number: number, text: string] }

/** The name of an error that has a text. */
export type Name = keyof typeof table

const column = <C extends 0 | 1>(of: C) =>
  Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row[of]])) as {
    readonly [N in Name]: (typeof table)[N][C]
  }

/** The numbers of the errors on Linux. */
export const linux: { readonly [name in Name]: number } = column(0)

/** The texts. */
export const texts = column(1)

/** The text of an error with this name, and with the number that its system has for it. */
export const of = (name: string, number: number): string => {
  const text = Object.hasOwn(texts, name) ? texts[name as Name] : "No error information"
  return `${text} (os error ${number})`
}
