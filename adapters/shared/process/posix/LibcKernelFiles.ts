/** The files of the kernel through the C library. */
import type { KernelFiles } from "../../host/KernelFiles.ts"
import * as OsError from "../../host/OsError.ts"
import type { Ffi } from "./Ffi.ts"
import { type Libc, O_CLOEXEC, O_RDONLY, O_RDWR } from "./Libc.ts"

const O_DIRECTORY = 0o200000
const BUFFER_BYTES = 65_536
/** `struct linux_dirent64`: where the length of an entry and its name are. */
const [LENGTH_AT, NAME_AT] = [16, 19]

/** Throws if the library lacks one of the functions. */
export const make = (ffi: Ffi, libc: Pick<Libc, "read" | "write" | "close">): KernelFiles => {
  const open = ffi.bind("open", ["text", "int", "int"])
  const mkdir = ffi.bind("mkdir", ["text", "int"])
  const rmdir = ffi.bind("rmdir", ["text"])
  const readlink = ffi.bind("readlink", ["text", "buffer", "long"], "long")
  const getdents = ffi.bind("getdents64", ["int", "buffer", "long"], "long")
  const buffer = new Uint8Array(BUFFER_BYTES)

  const check = (result: number, errno = ffi.errno) => {
    if (result >= 0) return
    const number = errno()
    throw OsError.coded(OsError.nameOf(number) || `errno ${number}`)
  }
  const text = (count: number) => Buffer.from(buffer.buffer, 0, Math.max(count, 0)).toString("latin1")
  /** The contents of the buffer after each call, until the end. */
  const whole = <A>(
    path: string,
    flags: number,
    fill: (fd: number) => number,
    take: (count: number) => A,
  ) => {
    const fd = open(path, flags | O_CLOEXEC, 0)
    const taken: Array<A> = []
    if (fd < 0) return taken
    for (let count = fill(fd); count > 0; count = fill(fd)) taken.push(take(count))
    libc.close(fd)
    return taken
  }

  return {
    read: (path) => whole(path, O_RDONLY, (fd) => libc.read(fd, buffer), text).join(""),
    readLink: (path) => text(readlink(path, buffer, BUFFER_BYTES)),
    list: (folder) => {
      const names = (count: number) => namesIn(buffer.subarray(0, count))
      const fill = (fd: number) => getdents(fd, buffer, BUFFER_BYTES)
      return whole(folder, O_RDONLY | O_DIRECTORY, fill, names).flat()
    },
    write: (path, content) => {
      const fd = open(path, O_RDWR | O_CLOEXEC, 0)
      check(fd)
      const written = libc.write(fd, Buffer.from(content))
      libc.close(fd)
      check(written, () => -written)
    },
    makeFolder: (path) => check(mkdir(path, 0o777)),
    removeFolder: (path) => check(rmdir(path)),
  }
}

const namesIn = (block: Uint8Array): ReadonlyArray<string> => {
  const view = new DataView(block.buffer, block.byteOffset, block.length)
  const names: Array<string> = []
  for (let at = 0; at < block.length; at += view.getUint16(at + LENGTH_AT, true)) {
    const bytes = block.subarray(at + NAME_AT, block.indexOf(0, at + NAME_AT))
    const name = Buffer.from(bytes).toString("latin1")
    if (name !== "." && name !== "..") names.push(name)
  }
  return names
}
