/** The process at the other end of a unix socket, as the kernel knows it (`SO_PEERCRED`). */
import process from "node:process"
import type { Ffi } from "./Ffi.ts"

/** Of the process that has connected, at that time. */
export interface PeerCredentials {
  readonly pid: number
  readonly uid: number
}

/** asm-generic/socket.h, which x64 and arm64 use. */
const SOL_SOCKET = 1
const SO_PEERCRED = 17
/** `struct ucred`: pid, uid, gid. */
const UCRED_INTS = 3

/** The look-up by the descriptor of a socket; it returns undefined where this host cannot tell. */
export const make = (open: () => Ffi): ((fd: number) => PeerCredentials | undefined) => {
  if (process.platform !== "linux" || !["x64", "arm64"].includes(process.arch)) return () => undefined
  const getsockopt = attempt(() => open().bind("getsockopt", ["int", "int", "int", "buffer", "buffer"]))
  return (fd) => {
    const found = new Int32Array(UCRED_INTS)
    const size = Int32Array.of(found.byteLength)
    if (getsockopt?.(fd, SOL_SOCKET, SO_PEERCRED, found, size) !== 0) return undefined
    const [pid = 0, uid = 0] = found
    return { pid, uid: uid >>> 0 }
  }
}

const attempt = <A>(evaluate: () => A): A | undefined => {
  try {
    return evaluate()
  } catch {
    return undefined
  }
}
