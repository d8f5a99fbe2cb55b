/**
 * The system calls that `HostFiles` needs, as promises; a runtime implements them.
 *
 * Paths are native, as `NativePath` has them. A call rejects with an error whose number `OsError.errnoOf` returns.
 */
import type * as Files from "../../../core/files/Files.ts"

/** The result of `stat`. Times are milliseconds since 1970, 0 where the file system has none. */
export interface Stat {
  readonly kind: Files.Kind
  /** Permission bits, including set-id and sticky. */
  readonly mode: number
  /** Bytes. */
  readonly size: number
  /** Device and inode: equal for two names of one file. */
  readonly identity: string
  /** Changes with the content, the mode and the times. */
  readonly version: string
  /** The number of names (hard links). */
  readonly links: number
  readonly uid: number
  readonly gid: number
  readonly createdMs: number
  readonly modifiedMs: number
}

export interface Calls {
  /** Opens a file with the flags of this host's `open`. The descriptor is close-on-exec. */
  readonly open: (path: string, flags: number, mode?: number) => Promise<number>
  readonly close: (fd: number) => Promise<void>
  /** The number of bytes read into `buffer`; 0 at EOF. */
  readonly read: (fd: number, buffer: Uint8Array, offset: bigint) => Promise<number>
  /** The number of bytes written from `bytes`; without an offset they follow those written before. */
  readonly write: (fd: number, bytes: Uint8Array, offset?: bigint) => Promise<number>
  readonly sync: (fd: number) => Promise<void>
  /** Truncates the file to 0 bytes. */
  readonly empty: (fd: number) => Promise<void>
  readonly chmod: (fd: number, mode: number) => Promise<void>
  /** The same by a path, which may be a link. */
  readonly chmodAt: (path: string, mode: number) => Promise<void>
  readonly chown: (fd: number, uid: number, gid: number) => Promise<void>
  /** The `fstat` of a descriptor. */
  readonly statOf: (fd: number) => Promise<Stat>
  /** Of what a link leads to if `follow` is true, else of the link itself. */
  readonly stat: (path: string, follow: boolean) => Promise<Stat>
  readonly list: (folder: string) => Promise<ReadonlyArray<Files.Entry>>
  readonly realPath: (path: string) => Promise<string>
  readonly readLink: (path: string) => Promise<string>
  /** Makes a symbolic link at `path` that leads to `target`. */
  readonly makeLink: (target: string, path: string) => Promise<void>
  readonly makeFolder: (path: string) => Promise<void>
  readonly removeFolder: (path: string) => Promise<void>
  readonly removeFile: (path: string) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  /** Rejects with EEXIST if something is at `to` (`renameat2` of Linux); absent where it cannot be called. */
  readonly renameNew?: (from: string, to: string) => Promise<void>
  /** Makes another name (a hard link) of a file. */
  readonly linkFile: (from: string, to: string) => Promise<void>
}

/** `S_IFMT` and its values, which are the same on all POSIX systems. */
const format = 0o170000
const kinds: Readonly<Record<number, Files.Kind>> = {
  0o100000: "file",
  0o040000: "directory",
  0o120000: "link",
  0o140000: "socket",
}

/** The kind of file, from the mode that `stat` returns. */
export const kindOf = (mode: number): Files.Kind => kinds[mode & format] ?? "other"
