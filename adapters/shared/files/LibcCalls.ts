/**
 * System calls through the C library, for a runtime whose `node:fs` restricts them.
 *
 * Deno's `node:fs` takes only UTF-8 paths. Without `--allow-all` it resolves links itself, so O_NOFOLLOW has no effect,
 * and denies /proc. The C library does not. A call blocks this thread as long as the disk takes, so content is read and
 * written in pieces, with a turn of the event loop in between. Only for 64-bit Linux with glibc 2.30 or later, whose
 * structures are laid out below.
 */
import { setImmediate } from "node:timers/promises"
import type * as Files from "../../../core/files/Files.ts"
import * as NativePath from "../../../core/protocol/NativePath.ts"
import * as OsError from "../host/OsError.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import { O_CLOEXEC, O_RDONLY } from "../process/posix/Libc.ts"
import { type Calls, kindOf, type Stat } from "./Calls.ts"

const O_DIRECTORY = 0o200000
const O_PATH = 0o10000000
const AT_FDCWD = -100
const AT_SYMLINK_NOFOLLOW = 0x100
const AT_EMPTY_PATH = 0x1000
const RENAME_NOREPLACE = 1
/** STATX_BASIC_STATS and STATX_BTIME. */
const STATX_MASK = 0xfff
const PATH_MAX = 4096

/** Throws if the library lacks one of the functions. */
export const make = (ffi: Ffi): Calls => {
  const libc = bind(ffi)
  /** The result of a call; throws `errno` if it is negative. */
  const check = (result: number): number => {
    if (result < 0) throw OsError.coded(OsError.nameOf(ffi.errno()) || `errno ${ffi.errno()}`)
    return result
  }
  const stat = (fd: number, name: Uint8Array, flags: number): Stat => {
    const found = new Uint8Array(256)
    check(libc.statx(fd, name, flags, STATX_MASK, found))
    return toStat(new DataView(found.buffer))
  }
  const target = (name: Uint8Array): Uint8Array => {
    const found = new Uint8Array(PATH_MAX)
    return found.subarray(0, check(libc.readlink(name, found, found.length)))
  }
  const opened = <A>(name: string, flags: number, use: (fd: number) => A): A => {
    const fd = check(libc.open(NativePath.toCString(name), flags | O_CLOEXEC, 0))
    try {
      return use(fd)
    } finally {
      libc.close(fd)
    }
  }
  const list = (fd: number): Array<Files.Entry | Unknown> => {
    const entries: Array<Files.Entry | Unknown> = []
    const buffer = new Uint8Array(64 * 1024)
    for (;;) {
      const count = check(libc.getdents(fd, buffer, buffer.length))
      if (count === 0) return entries
      readEntries(buffer.subarray(0, count), entries)
    }
  }
  const exact = (folder: string, entry: Files.Entry | Unknown): Files.Entry =>
    entry.kind === undefined
      ? {
          ...entry,
          kind: stat(AT_FDCWD, NativePath.toCString(`${folder}/${entry.name}`), AT_SYMLINK_NOFOLLOW).kind,
        }
      : entry
  const piece = async (work: () => number): Promise<number> => {
    await setImmediate()
    return check(work())
  }

  return {
    open: async (name, flags, mode = 0) =>
      check(libc.open(NativePath.toCString(name), flags | O_CLOEXEC, mode)),
    close: async (fd) => void check(libc.close(fd)),
    read: (fd, buffer, offset) =>
      offset > Number.MAX_SAFE_INTEGER
        ? Promise.resolve(0) // no file is that long
        : piece(() => libc.pread(fd, buffer, buffer.length, Number(offset))),
    write: async (fd, bytes, offset) => {
      if (offset === undefined) return piece(() => libc.write(fd, bytes, bytes.length))
      if (offset <= Number.MAX_SAFE_INTEGER) {
        return piece(() => libc.pwrite(fd, bytes, bytes.length, Number(offset)))
      }
      await piece(() => libc.pwrite(fd, bytes, 0, 0)) // to see the errors of the descriptor
      throw OsError.coded("EFBIG")
    },
    sync: async (fd) => void check(libc.fsync(fd)),
    empty: async (fd) => void check(libc.ftruncate(fd, 0)),
    chmod: async (fd, mode) => void check(libc.fchmod(fd, mode)),
    chmodAt: async (name, mode) => void check(libc.chmod(NativePath.toCString(name), mode)),
    chown: async (fd, uid, gid) => void check(libc.fchown(fd, uid, gid)),
    statOf: async (fd) => stat(fd, NativePath.toCString(""), AT_EMPTY_PATH),
    stat: async (name, follow) =>
      stat(AT_FDCWD, NativePath.toCString(name), follow ? 0 : AT_SYMLINK_NOFOLLOW),
    list: async (folder) => opened(folder, O_RDONLY | O_DIRECTORY, list).map((entry) => exact(folder, entry)),
    realPath: async (name) =>
      opened(name, O_PATH, (fd) => NativePath.fromBytes(target(NativePath.toCString(`/proc/self/fd/${fd}`)))),
    readLink: async (name) => NativePath.fromBytes(target(NativePath.toCString(name))),
    makeLink: async (to, name) =>
      void check(libc.symlink(NativePath.toCString(to), NativePath.toCString(name))),
    makeFolder: async (name) => void check(libc.mkdir(NativePath.toCString(name), 0o777)),
    removeFolder: async (name) => void check(libc.rmdir(NativePath.toCString(name))),
    removeFile: async (name) => void check(libc.unlink(NativePath.toCString(name))),
    rename: async (from, to) => void check(libc.rename(NativePath.toCString(from), NativePath.toCString(to))),
    renameNew: async (from, to) => {
      const [source, target] = [NativePath.toCString(from), NativePath.toCString(to)]
      check(libc.renameat2(AT_FDCWD, source, AT_FDCWD, target, RENAME_NOREPLACE))
    },
    linkFile: async (from, to) => void check(libc.link(NativePath.toCString(from), NativePath.toCString(to))),
  }
}

/** The functions of the library. A path is a buffer with a zero at its end, because it may not be UTF-8. */
const bind = (ffi: Ffi) => ({
  open: ffi.bind("open", ["buffer", "int", "int"]),
  close: ffi.bind("close", ["int"]),
  pread: ffi.bind("pread", ["int", "buffer", "long", "long"], "long"),
  write: ffi.bind("write", ["int", "buffer", "long"], "long"),
  pwrite: ffi.bind("pwrite", ["int", "buffer", "long", "long"], "long"),
  fsync: ffi.bind("fsync", ["int"]),
  ftruncate: ffi.bind("ftruncate", ["int", "long"]),
  fchmod: ffi.bind("fchmod", ["int", "int"]),
  chmod: ffi.bind("chmod", ["buffer", "int"]),
  fchown: ffi.bind("fchown", ["int", "int", "int"]),
  statx: ffi.bind("statx", ["int", "buffer", "int", "int", "buffer"]),
  getdents: ffi.bind("getdents64", ["int", "buffer", "long"], "long"),
  readlink: ffi.bind("readlink", ["buffer", "buffer", "long"], "long"),
  symlink: ffi.bind("symlink", ["buffer", "buffer"]),
  mkdir: ffi.bind("mkdir", ["buffer", "int"]),
  rmdir: ffi.bind("rmdir", ["buffer"]),
  unlink: ffi.bind("unlink", ["buffer"]),
  rename: ffi.bind("rename", ["buffer", "buffer"]),
  renameat2: ffi.bind("renameat2", ["int", "buffer", "int", "buffer", "int"]),
  link: ffi.bind("link", ["buffer", "buffer"]),
})

/** `struct statx`: linux/stat.h. */
const toStat = (view: DataView): Stat => {
  const u32 = (at: number) => view.getUint32(at, true)
  const u64 = (at: number) => view.getBigUint64(at, true)
  const seconds = (at: number) => Number(view.getBigInt64(at, true))
  const milliseconds = (at: number) => seconds(at) * 1000 + Math.floor(u32(at + 8) / 1e6)
  const [mode, size, born, changed, modified] = [view.getUint16(28, true), u64(40), 80, 96, 112]
  return {
    kind: kindOf(mode),
    mode: mode & 0o7777,
    size: Number(size),
    identity: `${u32(136)}:${u32(140)}:${u64(32)}`,
    version: [mode, size, seconds(modified), u32(modified + 8), seconds(changed), u32(changed + 8)].join(" "),
    links: u32(16),
    uid: u32(20),
    gid: u32(24),
    createdMs: milliseconds(born),
    modifiedMs: milliseconds(modified),
  }
}

/** An entry of a file system that returns names without kinds. */
interface Unknown {
  readonly name: string
  readonly kind: undefined
}

/** `d_type` of `struct linux_dirent64`. */
const types: Readonly<Record<number, Files.Kind | undefined>> = {
  0: undefined,
  4: "directory",
  8: "file",
  10: "link",
}

/** Appends the entries of one block of `getdents64`, without `.` and `..`. */
const readEntries = (block: Uint8Array, into: Array<Files.Entry | Unknown>) => {
  const view = new DataView(block.buffer, block.byteOffset, block.length)
  for (let at = 0; at < block.length;) {
    const length = view.getUint16(at + 16, true)
    const type = view.getUint8(at + 18)
    const bytes = block.subarray(at + 19, at + length)
    const name = NativePath.fromBytes(bytes.subarray(0, bytes.indexOf(0)))
    const kind = type in types ? types[type] : "other"
    if (name !== "." && name !== "..") into.push(kind === undefined ? { name, kind } : { name, kind })
    at += length
  }
}
