/** Copies of descriptors of other processes of this user: `pidfd_open` and `pidfd_getfd`, which Linux has since 5.6. */
import { getSystemErrorName } from "node:util"
import type { Ffi } from "./Ffi.ts"

/** The system calls, bound to libc. */
export interface ForeignDescriptors {
  /** A descriptor of that process. Throws with the name of the error. */
  readonly open: (pid: number) => number
  /** A copy of a descriptor of the process behind `pidfd`; it is closed on exec. Throws with the name of the error. */
  readonly copy: (pidfd: number, fd: number) => number
  readonly close: (fd: number) => void
}

/** System calls, by the same numbers on every 64-bit Linux that the runtimes know: asm-generic/unistd.h. */
const PIDFD_OPEN = 434
const PIDFD_GETFD = 438

/** Throws if the C library lacks one of the functions. */
export const make = (ffi: Ffi): ForeignDescriptors => {
  const syscall = ffi.bind("syscall", ["long", "long", "long", "long"], "long")
  const close = ffi.bind("close", ["int"])
  const call = (name: string, ...args: [number: number, first: number, second: number]) => {
    const fd = syscall(...args, 0)
    if (fd < 0) throw new Error(`${name}: ${getSystemErrorName(-ffi.errno())}`)
    return fd
  }
  return {
    open: (pid) => call("pidfd_open", PIDFD_OPEN, pid, 0),
    copy: (pidfd, fd) => call("pidfd_getfd", PIDFD_GETFD, pidfd, fd),
    close: (fd) => void close(fd),
  }
}
