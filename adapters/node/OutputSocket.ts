/**
 * One stream of a child's output, read from a descriptor of ours by libuv.
 *
 * Every read of every socket lands in one shared buffer and is delivered before the next one starts: no
 * allocation and no copy per read. `pause` stops the reading itself, so the child blocks when the kernel's
 * buffer is full; nothing of it is buffered here.
 */
import * as Net from "node:net"
import type * as Spawner from "../../core/spawn/Spawner.ts"
import type { ChildEvents } from "../shared/ChildEvents.ts"
import type { Output } from "../shared/RunningChild.ts"

/** `onread` is documented for `connect`, but it is the constructor that takes it. */
export type SocketOptions = Net.SocketConstructorOpts & Net.ConnectOpts

/** As much as a pipe holds. */
export const BUFFER_BYTES = 65_536

/** Filled by one read at a time, for all sockets. */
export const buffer: Uint8Array<ArrayBuffer> = new Uint8Array(BUFFER_BYTES)

/** Reads the pipe end `fd`, which it owns from here on. */
export const make = (fd: number, stream: Spawner.OutputStream, events: ChildEvents): Output => {
  const deliver = (count: number) => {
    events.output(stream, buffer.subarray(0, count))
    return true
  }
  const options: SocketOptions = {
    fd,
    readable: true,
    writable: false,
    onread: { buffer, callback: deliver },
  }
  const socket = new Net.Socket(options)
  return attach(socket, stream, events)
}

/** Ends the stream with the socket, however that ends. */
export const attach = (socket: Net.Socket, stream: Spawner.OutputStream, events: ChildEvents): Output => {
  const end = () => events.end(stream)
  socket.on("end", end)
  socket.on("error", () => {})
  socket.on("close", end)
  return {
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    destroy: () => void socket.destroy(),
  }
}
