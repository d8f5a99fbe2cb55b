/**
 * The system calls that files need, as promises: what a runtime brings.
 *
 * Paths are native, as `NativePath` has them. A failure is an error that `OsError.errnoOf` knows the number of.
 */
import type * as Files from "../../../core/files/Files.ts"

/** What `stat` tells. Times in milliseconds, `0` where there is none. */
export interface Stat {
  readonly kind: Files.Kind
  /** Permission bits, those for set-id and sticky included. */
  readonly mode: number
  readonly size: number
  readonly identity: string
  readonly version: string
  readonly links: number
  readonly uid: number
  readonly gid: number
  readonly createdMs: number
  readonly modifiedMs: number
}

export interface Calls {
  /** Flags of this host's `open`; descriptors are close-on-exec. */
  readonly open: (path: string, flags: number, mode?: number) => Promise<number>
  readonly close: (fd: number) => Promise<void>
  /** Bytes read into `buffer`; 0 at the end. */
  readonly read: (fd: number, buffer: Uint8Array, offset: bigint) => Promise<number>
  readonly write: (fd: number, bytes: Uint8Array, offset: bigint) => Promise<number>
  readonly sync: (fd: number) => Promise<void>
  readonly empty: (fd: number) => Promise<void>
  readonly chmod: (fd: number, mode: number) => Promise<void>
  readonly chown: (fd: number, uid: number, gid: number) => Promise<void>
  readonly statOf: (fd: number) => Promise<Stat>
  readonly stat: (path: string, follow: boolean) => Promise<Stat>
  readonly list: (folder: string) => Promise<ReadonlyArray<Files.Entry>>
  readonly realPath: (path: string) => Promise<string>
  readonly readLink: (path: string) => Promise<string>
  readonly makeLink: (target: string, path: string) => Promise<void>
  readonly makeFolder: (path: string) => Promise<void>
  readonly removeFolder: (path: string) => Promise<void>
  readonly removeFile: (path: string) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
}

/** `S_IFMT` and its kinds, which all POSIX systems number alike. */
const format = 0o170000
const kinds: Readonly<Record<number, Files.Kind>> = {
  0o100000: "file",
  0o040000: "directory",
  0o120000: "link",
}

/** The kind in the mode of a file. */
export const kindOf = (mode: number): Files.Kind => kinds[mode & format] ?? "other"
