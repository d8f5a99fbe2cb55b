/** Sockets that listen already: what a descriptor is bound to, by libc. */
import * as fs from "node:fs"
import type { Ffi } from "./Ffi.ts"

/** The address of a socket that listens. */
export type Address =
  | {
      readonly kind: "unix"
      /** Of the socket file; `@name` if it is abstract. */
      readonly path: string
      /** Every user of this host may connect. */
      readonly open: boolean
    }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }

/** asm-generic/socket.h, which x64 and arm64 use. */
const SOL_SOCKET = 1
const SO_TYPE = 3
const SO_ACCEPTCONN = 30
const SOCK_STREAM = 1
/** linux/socket.h. */
const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
/** asm-generic/fcntl.h. */
const F_SETFD = 2
const FD_CLOEXEC = 1
/** More than any address takes. */
const ADDRESS_BYTES = 128

/**
 * A function from a descriptor to the address at which it listens; undefined for anything but a stream socket that
 * listens. Children do not inherit the descriptor from then on. Throws where libc lacks a function.
 */
export const describe = (ffi: Ffi): ((fd: number) => Address | undefined) => {
  const getsockopt = ffi.bind("getsockopt", ["int", "int", "int", "buffer", "buffer"])
  const getsockname = ffi.bind("getsockname", ["int", "buffer", "buffer"])
  const fcntl = ffi.bind("fcntl", ["int", "int", "int"])
  const option = (fd: number, name: number): number | undefined => {
    const value = new Int32Array(1)
    const failed = getsockopt(fd, SOL_SOCKET, name, value, Int32Array.of(value.byteLength)) !== 0
    return failed ? undefined : value[0]
  }
  return (fd) => {
    fcntl(fd, F_SETFD, FD_CLOEXEC)
    if (option(fd, SO_TYPE) !== SOCK_STREAM || option(fd, SO_ACCEPTCONN) !== 1) return undefined
    const address = new Uint8Array(ADDRESS_BYTES)
    const length = Int32Array.of(ADDRESS_BYTES)
    if (getsockname(fd, address, length) !== 0) return undefined
    return decode(address.subarray(0, length[0]))
  }
}

/** Reads a `struct sockaddr`. */
export const decode = (address: Uint8Array): Address | undefined => {
  const view = new DataView(address.buffer, address.byteOffset, address.byteLength)
  if (address.length < 2) return undefined
  const family = view.getUint16(0, true)
  if (family === AF_UNIX) return decodeUnix(address.subarray(2))
  if (family === AF_INET) {
    return { kind: "tcp", host: address.subarray(4, 8).join("."), port: view.getUint16(2) }
  }
  if (family !== AF_INET6) return undefined
  const groups = Array.from({ length: 8 }, (_, index) => view.getUint16(8 + 2 * index).toString(16))
  const host = new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1)
  return { kind: "tcp", host, port: view.getUint16(2) }
}

const decodeUnix = (bytes: Uint8Array): Address => {
  const text = new TextDecoder()
  if (bytes[0] === 0) return { kind: "unix", path: `@${text.decode(bytes.subarray(1))}`, open: true }
  const end = bytes.indexOf(0)
  const path = text.decode(end < 0 ? bytes : bytes.subarray(0, end))
  const mode = fs.statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  return { kind: "unix", path, open: (mode & 0o002) !== 0 }
}
