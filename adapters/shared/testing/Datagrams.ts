/** A unix socket for datagrams, as systemd has one for its services, in the process of a test. */
import { onTestFinished } from "vitest"
import type { Ffi } from "../process/posix/Ffi.ts"
import * as TestChild from "./TestChild.ts"

export interface Datagrams {
  /** The next message, once there is one. */
  readonly next: () => Promise<string>
}

const AF_UNIX = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000
const MSG_DONTWAIT = 0x40

/** Binds the socket at a path, or at `@name` for an abstract one, until the test has finished. */
export const bind = (openFfi: () => Ffi, path: string): Datagrams => {
  const ffi = openFfi()
  const recv = ffi.bind("recv", ["int", "buffer", "long", "int"], "long")
  const close = ffi.bind("close", ["int"])
  const fd = ffi.bind("socket", ["int", "int", "int"])(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
  onTestFinished(() => void close(fd))
  const address = Buffer.from(`\u0001\0${path.replace(/^@/, "\0")}${path.startsWith("@") ? "" : "\0"}`)
  const failed = ffi.bind("bind", ["int", "buffer", "int"])(fd, new Uint8Array(address), address.length)
  if (failed !== 0) throw new Error(`cannot bind ${path}: error ${ffi.errno()}`)
  const buffer = new Uint8Array(4096)
  return {
    next: async () => {
      let length = -1
      await TestChild.until(() => {
        length = recv(fd, buffer, buffer.length, MSG_DONTWAIT)
        return length >= 0
      }, `a datagram at ${path}`)
      return new TextDecoder().decode(buffer.subarray(0, length))
    },
  }
}
