/**
 * The texts of failures of the operating system, as error responses have them, such as `No such file or directory
 * (os error 2)`.
 *
 * They are those of musl's `strerror`, because the peer is a musl build: where glibc says "Too many open files", musl
 * says "No file descriptors available".
 */

/** The texts, by the names of the errors. */
export const texts = {
  EPERM: "Operation not permitted",
  ENOENT: "No such file or directory",
  EIO: "I/O error",
  E2BIG: "Argument list too long",
  ENOEXEC: "Exec format error",
  EBADF: "Bad file descriptor",
  EAGAIN: "Resource temporarily unavailable",
  ENOMEM: "Out of memory",
  EACCES: "Permission denied",
  EBUSY: "Resource busy",
  EEXIST: "File exists",
  ENOTDIR: "Not a directory",
  EISDIR: "Is a directory",
  EINVAL: "Invalid argument",
  ENFILE: "Too many open files in system",
  EMFILE: "No file descriptors available",
  ETXTBSY: "Text file busy",
  ENOSPC: "No space left on device",
  ENAMETOOLONG: "Filename too long",
  ENOSYS: "Function not implemented",
  ELOOP: "Symbolic link loop",
  EADDRINUSE: "Address in use",
  EADDRNOTAVAIL: "Address not available",
  ENETUNREACH: "Network unreachable",
  ETIMEDOUT: "Operation timed out",
  ECONNREFUSED: "Connection refused",
  EHOSTUNREACH: "Host is unreachable",
  ENXIO: "No such device or address",
  EXDEV: "Cross-device link",
  ENODEV: "No such device",
  EFBIG: "File too large",
  ESPIPE: "Invalid seek",
  EROFS: "Read-only file system",
  EMLINK: "Too many links",
  EPIPE: "Broken pipe",
  ENOTEMPTY: "Directory not empty",
  EOVERFLOW: "Value too large for data type",
  ENOTSUP: "Not supported",
  ESTALE: "Stale file handle",
  EDQUOT: "Quota exceeded",
  EINTR: "Interrupted system call",
  ELIBBAD: "Accessing a corrupted shared library",
} as const satisfies { readonly [name: string]: string }

/** The name of an error that has a text. */
export type Name = keyof typeof texts

/** The numbers of the errors on Linux. */
export const linux: { readonly [name in Name]: number } = {
  EPERM: 1,
  ENOENT: 2,
  EIO: 5,
  E2BIG: 7,
  ENOEXEC: 8,
  EBADF: 9,
  EAGAIN: 11,
  ENOMEM: 12,
  EACCES: 13,
  EBUSY: 16,
  EEXIST: 17,
  ENOTDIR: 20,
  EISDIR: 21,
  EINVAL: 22,
  ENFILE: 23,
  EMFILE: 24,
  ETXTBSY: 26,
  ENOSPC: 28,
  ENAMETOOLONG: 36,
  ENOSYS: 38,
  ELOOP: 40,
  EADDRINUSE: 98,
  EADDRNOTAVAIL: 99,
  ENETUNREACH: 101,
  ETIMEDOUT: 110,
  ECONNREFUSED: 111,
  EHOSTUNREACH: 113,
  ENXIO: 6,
  EXDEV: 18,
  ENODEV: 19,
  EFBIG: 27,
  ESPIPE: 29,
  EROFS: 30,
  EMLINK: 31,
  EPIPE: 32,
  ENOTEMPTY: 39,
  EOVERFLOW: 75,
  ENOTSUP: 95,
  ESTALE: 116,
  EDQUOT: 122,
  EINTR: 4,
  ELIBBAD: 80,
}

/** The text of an error with this name, and with the number that its system has for it. */
export const of = (name: string, number: number): string => {
  const text = Object.hasOwn(texts, name) ? texts[name as Name] : "No error information"
  return `${text} (os error ${number})`
}
