/**
 * Tells on Bun whether the kernel refuses connections to a unix socket. Bun's `node:net` tells a server whose queue is
 * full (EAGAIN), and any other failure, as ECONNREFUSED.
 */
import * as BunLibc from "../host/BunLibc.ts"

/** linux/socket.h and asm-generic/errno.h, which x64 and arm64 use. */
const AF_UNIX = 1
const SOCK_STREAM = 1
const SOCK_NONBLOCK = 0o4000
const SOCK_CLOEXEC = 0o2000000
const ECONNREFUSED = 111

/**
 * False if a server listens at the path, or if that cannot be told. The path fits into an address. Where the C library
 * cannot be called, a connection that failed is taken for a refused one.
 */
export const refuses = (path: string): boolean => {
  let libc: BunLibc.BunLibc
  try {
    libc = BunLibc.open()
  } catch {
    return true
  }
  const socket = libc.symbol("socket", ["i32", "i32", "i32"], "i32")
  const connect = libc.symbol("connect", ["i32", "ptr", "u32"], "i32")
  const close = libc.symbol("close", ["i32"], "i32")
  const name = new TextEncoder().encode(`${path}\0`)
  const address = new Uint8Array(2 + name.length)
  new DataView(address.buffer).setUint16(0, AF_UNIX, true)
  address.set(name, 2)
  const fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) as number
  if (fd < 0) return false
  const isRefused = connect(fd, address, address.length) !== 0 && libc.errno() === ECONNREFUSED
  close(fd)
  return isRefused
}
