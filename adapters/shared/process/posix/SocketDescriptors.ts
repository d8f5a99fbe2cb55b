/**
 * Descriptors as sockets of `node:net`, which Node and Deno can make of pipes.
 *
 * All sockets read into one shared buffer, and each read is delivered before the next one starts: no allocation and
 * no copy per read. `pause` stops the reading, so the child blocks when the kernel's buffer is full; nothing is
 * buffered here.
 *
 * The master of a PTY is read and written through the pipe handle too, which waits while a terminal is full (Node's
 * TTY handle spins). That class has no public name, so it is taken from a socket over a pipe. When a terminal is
 * readable it is read until it is empty, or until EIO, before libuv polls it again: up to 1.51, libuv treats a
 * hang-up after a short read as EOF. Reading on also joins the 4 KiB pieces of a terminal to chunks of up to 64 KiB.
 */
import * as Net from "node:net"
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import type { ChildEvents } from "../ChildEvents.ts"
import type { Output } from "../RunningChild.ts"
import * as StdinWriter from "../StdinWriter.ts"
import { BUFFER_BYTES, type Descriptors } from "./Descriptors.ts"
import type { Libc } from "./Libc.ts"

/** The constructor takes `onread`, which is documented for `connect`, and `handle`, which is not documented. */
type Options = Net.SocketConstructorOpts & Net.ConnectOpts & { readonly handle?: object }

type PipeClass = new (type: number) => { readonly open: (fd: number) => number | void }

/** `constants.SOCKET` of the pipe handle: neither a server nor for passing handles. */
const STREAM = 0
/** The most that is read from one terminal in a turn: more than it holds at a hang-up, and fair to other children. */
const DRAIN_BYTES = 8 * BUFFER_BYTES

/** Throws on a runtime that hides the pipe handle. */
export const make = (libc: Libc): Descriptors => {
  const Pipe = pipeClass(libc)
  /** Filled by one read at a time, for all sockets. */
  const buffer: Uint8Array<ArrayBuffer> = new Uint8Array(BUFFER_BYTES)
  return {
    reader: (fd, stream, events) => {
      const callback = (count: number) => {
        events.output(stream, buffer.subarray(0, count))
        return true
      }
      const options: Options = { fd, readable: true, writable: false, onread: { buffer, callback } }
      return read(libc, fd, new Net.Socket(options), stream, events)
    },
    writer: (fd) => StdinWriter.make(new Net.Socket({ fd, readable: false, writable: true })),
    terminal: (master, events) => {
      const state = { reading: true }
      const handle = new Pipe(STREAM)
      handle.open(master)
      const callback = drain(libc, master, buffer, state, (count) =>
        events.output("pty", buffer.subarray(0, count)),
      )
      const options: Options = { handle, readable: true, writable: true, onread: { buffer, callback } }
      const socket = new Net.Socket(options)
      const output = read(libc, master, socket, "pty", events)
      const set = (reading: boolean, change: () => void) => () => {
        state.reading = reading
        change()
      }
      return {
        open: () => !socket.destroyed,
        stdin: StdinWriter.make(socket),
        output: {
          ...output,
          pause: set(false, output.pause),
          resume: set(true, output.resume),
          destroy: set(false, output.destroy),
        },
      }
    },
  }
}

/** Ends the stream when the socket ends, fails or is destroyed. A process that is over is kept, but not its sockets. */
const read = (
  libc: Libc,
  fd: number,
  socket: Net.Socket,
  stream: Spawner.OutputStream,
  events: ChildEvents,
): Output => {
  let open: Net.Socket | undefined = socket
  const end = () => events.end(stream)
  socket.on("end", end)
  socket.on("error", () => {})
  socket.on("close", () => {
    open = undefined
    end()
  })
  return {
    pause: () => void open?.pause(),
    resume: () => void open?.resume(),
    destroy: () => void open?.destroy(),
    unread: () => open?.destroyed === false && !open.readableEnded && libc.readable(fd),
  }
}

/** Delivers the bytes of one read, then reads and delivers what else is there. */
const drain =
  (
    libc: Libc,
    master: number,
    buffer: Uint8Array,
    state: { readonly reading: boolean },
    deliver: (count: number) => void,
  ) =>
  (first: number): boolean => {
    let filled = 0
    let total = 0
    for (let count = first; count > 0; count = libc.read(master, buffer.subarray(filled))) {
      filled += count
      total += count
      if (filled < BUFFER_BYTES) continue
      deliver(filled)
      filled = 0
      if (!state.reading || total >= DRAIN_BYTES) break
    }
    if (filled > 0) deliver(filled)
    return true
  }

const pipeClass = (libc: Libc): PipeClass => {
  const ends = new Int32Array(2)
  if (libc.pipe(ends) < 0) throw new Error("no pipe to take the class of its handle from")
  libc.close(ends[1] ?? -1)
  const socket: Net.Socket & { _handle?: object } = new Net.Socket({ fd: ends[0] ?? -1, writable: false })
  socket.on("error", () => {})
  const Pipe: unknown = socket._handle?.constructor
  socket.destroy()
  if (typeof Pipe !== "function" || !Pipe.name.startsWith("Pipe"))
    throw new Error("the pipe handle is hidden")
  return Pipe as PipeClass
}
