/** Frames over a connected socket: reads them, and writes those of the other direction. */
import type * as net from "node:net"
import * as HolderWire from "./HolderWire.ts"

/** Frames over one socket. */
export interface FrameSocket {
  /** Sends a frame, which belongs to the socket from now on; false while more than `slowBytes` wait. */
  readonly send: (frame: Buffer) => boolean
  /** Sends what waits, and ends. */
  readonly end: (last?: Buffer) => void
  /** Ends at once. */
  readonly destroy: () => void
}

/** The callbacks of `make`. */
export interface Use {
  readonly frame: (frame: HolderWire.Frame) => void
  /** Less waits again after `send` has answered false. */
  readonly drain?: () => void
  /** The other side has broken the protocol; `close` follows once the caller has ended the socket. */
  readonly broken: (message: string) => void
  /** Called once. */
  readonly close: () => void
}

/** Bytes that may wait for the other side: 1 MiB. */
export const slowBytes = 1024 * 1024

/** Takes a socket over. */
export const make = (socket: net.Socket, use: Use): FrameSocket => {
  const reader = new HolderWire.FrameReader()
  let broken = false
  socket.on("error", () => {})
  socket.on("data", (bytes: Buffer) => {
    if (broken) return
    try {
      reader.push(bytes, (frame) => {
        if (!broken) use.frame(frame)
      })
    } catch (error) {
      // An error in the handling of a frame must not end this process.
      broken = true
      use.broken(error instanceof Error ? error.message : String(error))
    }
  })
  // Bun emits it while much still waits.
  socket.on("drain", () => {
    if (socket.writableLength < slowBytes) use.drain?.()
  })
  socket.once("close", use.close)
  socket.resume()
  return {
    send: (frame) => {
      if (!socket.writable) return true
      return socket.write(frame) || socket.writableLength < slowBytes
    },
    end: (last) => void (last === undefined ? socket.end() : socket.end(last)),
    destroy: () => void socket.destroy(),
  }
}
