/** Pipes and sockets that this process was started with, as sockets of `node:net`. */
import * as fs from "node:fs"
import * as net from "node:net"

/** The default capacity of a pipe on Linux. */
const inputBytes = 65_536

/** A socket that reads into the same memory again and again: a listener to its data must not keep any of it. */
export const open = (fd: number): net.Socket => {
  const buffer = new Uint8Array(inputBytes)
  const callback = (count: number) => {
    const chunk = buffer.subarray(0, count)
    // There is no listener until the transport is made.
    if (!socket.emit("data", chunk)) socket.push(chunk.slice())
    return true
  }
  const onread = { buffer, callback }
  const options: net.SocketConstructorOpts & net.ConnectOpts = { fd, readable: true, writable: false, onread }
  const socket = new net.Socket(options)
  return socket
}

/** True where a descriptor can become a socket without blocking; on Bun none can. */
export const isPossible = (fd: number): boolean => {
  if ("Bun" in globalThis) return false
  const stat = fs.fstatSync(fd)
  return stat.isFIFO() || stat.isSocket()
}
