/** Opens and resizes PTYs by `posix_openpt` and its family. */
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import { Errno } from "../ProgramPath.ts"
import type { Ffi } from "./Ffi.ts"
import { type Libc, O_CLOEXEC, O_NOCTTY, O_RDWR } from "./Libc.ts"

/** Both ends of a new PTY. No child inherits them. */
export interface Pty {
  readonly master: number
  readonly slave: number
  /** The path of the slave, which the child opens. */
  readonly path: string
}

export interface PtyDevice {
  readonly open: (size: Spawner.TerminalSize) => Pty | Errno
  /** Sets the size; if it changes, the kernel sends SIGWINCH to the foreground group. Throws if it fails. */
  readonly resize: (master: number, size: Spawner.TerminalSize) => void
}

/** `ioctl` request of Linux: include/uapi/asm-generic/ioctls.h. */
const TIOCSWINSZ = 0x5414
/** More than any `/dev/pts/N` needs. */
const NAME_BYTES = 64

/** Throws if the library lacks one of the functions. */
export const make = (ffi: Ffi, libc: Libc): PtyDevice => {
  const openpt = ffi.bind("posix_openpt", ["int"])
  const grant = ffi.bind("grantpt", ["int"])
  const unlock = ffi.bind("unlockpt", ["int"])
  const nameOf = ffi.bind("ptsname_r", ["int", "buffer", "long"])
  const openFile = ffi.bind("open", ["text", "int", "int"])
  const ioctl = ffi.bind("ioctl", ["int", "long", "buffer"])
  const name = new Uint8Array(NAME_BYTES)
  const setSize = (fd: number, { rows, columns }: Spawner.TerminalSize) =>
    ioctl(fd, TIOCSWINSZ, Uint16Array.of(rows, columns, 0, 0)) < 0 ? ffi.errno() : 0

  return {
    open: (size) => {
      const master = openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
      if (master < 0) return new Errno(ffi.errno())
      const refuse = (errno: number) => {
        libc.close(master)
        return new Errno(errno)
      }
      if (grant(master) < 0 || unlock(master) < 0) return refuse(ffi.errno())
      const unnamed = nameOf(master, name, NAME_BYTES)
      if (unnamed !== 0) return refuse(unnamed)
      const path = new TextDecoder().decode(name.subarray(0, name.indexOf(0)))
      const slave = openFile(path, O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
      if (slave < 0) return refuse(ffi.errno())
      setSize(master, size)
      return { master, slave, path }
    },
    resize: (master, size) => {
      const errno = setSize(master, size)
      if (errno !== 0) throw new Error(`cannot resize the terminal (os error ${errno})`)
    },
  }
}
