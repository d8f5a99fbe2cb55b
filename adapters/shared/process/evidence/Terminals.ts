/** The descriptors and terminals of this host, through the C library: what lies in them to be read, and their modes. */
import type { Ffi } from "../posix/Ffi.ts"
import { type Libc, O_CLOEXEC, O_NOCTTY, O_NONBLOCK, O_RDONLY, O_RDWR } from "../posix/Libc.ts"
import type { ReadMemory } from "./SystemCalls.ts"

export interface Modes {
  /** Something lies there to be read. */
  readonly readable: boolean
  readonly echo: boolean
  /** It gives whole lines. */
  readonly line: boolean
  /** It begins a new line at the left margin: whoever draws the whole screen turns that off. */
  readonly newlines: boolean
}

export interface Terminals {
  readonly memory: ReadMemory
  /** The terminal at a path; undefined if it cannot be opened. */
  readonly modes: (path: string) => Modes | undefined
  /** True if something lies behind a descriptor of this process to be read, also if it is still on its way. */
  readonly readable: (fd: number) => boolean
  /** The bytes that lie in the pipe behind a descriptor of this process; undefined if there is none. */
  readonly waiting: (fd: number) => number | undefined
}

/** Of Linux on x64 and arm64: asm-generic/ioctls.h, asm-generic/termbits.h, asm-generic/poll.h. */
const TCGETS = 0x5401
const FIONREAD = 0x541b
const [OPOST, ONLCR] = [0o1, 0o4]
const [ICANON, ECHO] = [0o2, 0o10]
const POLLIN = 1
/** In `struct termios`, in ints. */
const [C_OFLAG, C_LFLAG] = [1, 3]

/** Throws if the library lacks one of the functions. */
export const make = (ffi: Ffi, libc: Libc): Terminals => {
  const open = ffi.bind("open", ["text", "int", "int"])
  const ioctl = ffi.bind("ioctl", ["int", "long", "buffer"])
  const poll = ffi.bind("poll", ["buffer", "long", "int"])
  const pread = ffi.bind("pread", ["int", "buffer", "long", "long"], "long")
  // Of a terminal it also brings input on its way in the kernel.
  const isReadable = (fd: number) => poll(Uint16Array.of(fd & 0xffff, fd >>> 16, POLLIN, 0), 1, 0) > 0
  const using = <A>(path: string, flags: number, use: (fd: number) => A): A | undefined => {
    const fd = open(path, flags | O_CLOEXEC, 0)
    if (fd < 0) return undefined
    const result = use(fd)
    libc.close(fd)
    return result
  }
  return {
    memory: (pid, address, length) =>
      using(`/proc/${pid}/mem`, O_RDONLY, (fd) => {
        const bytes = new Uint8Array(length)
        return bytes.subarray(0, Math.max(0, pread(fd, bytes, length, address)))
      }) ?? new Uint8Array(),
    modes: (path) =>
      using(path, O_RDWR | O_NOCTTY | O_NONBLOCK, (fd) => {
        const readable = isReadable(fd)
        const termios = new Int32Array(32)
        if (ioctl(fd, TCGETS, termios) < 0) return undefined
        const [output, local] = [termios[C_OFLAG] ?? 0, termios[C_LFLAG] ?? 0]
        return {
          readable,
          echo: (local & ECHO) !== 0,
          line: (local & ICANON) !== 0,
          newlines: (output & OPOST) !== 0 && (output & ONLCR) !== 0,
        }
      }),
    readable: isReadable,
    waiting: (fd) => {
      const count = new Int32Array(1)
      return ioctl(fd, FIONREAD, count) < 0 ? undefined : count[0]
    },
  }
}
