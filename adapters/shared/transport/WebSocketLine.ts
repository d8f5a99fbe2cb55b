/**
 * One accepted WebSocket without an effect: it reads messages, writes them, and looks whether the client is there. A
 * transport is made of it; or two of them become one, which then need nothing else.
 *
 * The package `ws` answers pings, and ends with the socket. Messages are read from the socket and written to it here:
 * the library would copy them, and unmask them byte by byte.
 */
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import type { WebSocket } from "real-ws"
import { type Line, type Outgoing, TransportError } from "../../../core/transport/Transport.ts"
import { FrameReader } from "./FrameReader.ts"
import * as OrderlyClose from "./OrderlyClose.ts"
import * as PeerWatch from "./PeerWatch.ts"
import * as SendQueue from "./SendQueue.ts"
import * as WebSocketFrames from "./WebSocketFrames.ts"

export interface Sink {
  /** Takes a message. Its memory is used again afterwards, unless the answer is true. */
  readonly message: (bytes: Uint8Array) => boolean
  /** The client is gone, or has broken the protocol. */
  readonly ended: (error?: TransportError) => void
  /** True while no message waits there. */
  readonly empty: () => boolean
}

export interface Bounds {
  readonly maxMessageBytes: number
  readonly peerTimeoutMillis: number
}

/** A WebSocket; `attach` begins it. */
export class WebSocketLine implements Line {
  /** The messages to be sent. */
  readonly queue: SendQueue.SendQueue
  /** It is one with another line: no other part may end it. */
  joined = false
  private readonly socket: Socket
  private readonly peerTimeoutMillis: number
  private readonly watch: PeerWatch.PeerWatch
  private readonly frames: FrameReader
  private sink: Sink
  private peer: WebSocket | undefined
  private over = false
  private looking: ReturnType<typeof setInterval> | undefined

  constructor(socket: Socket, { maxMessageBytes, peerTimeoutMillis }: Bounds, sink: Sink) {
    this.socket = socket
    this.sink = sink
    this.peerTimeoutMillis = peerTimeoutMillis
    this.queue = SendQueue.make(socket)
    this.watch = new PeerWatch.PeerWatch(peerTimeoutMillis, Date.now())
    this.frames = new FrameReader(maxMessageBytes, {
      message: (bytes) => !this.over && this.sink.message(bytes),
      ping: (payload) => this.peer?.pong(payload),
      pong: () => this.watch.answered(),
      close: () => this.peer?.terminate(),
    })
    socket.on("close", () => this.end())
  }

  /** Takes the reading over from the library, which has answered the upgrade; without one there is nothing to read. */
  attach(peer: WebSocket | undefined): void {
    if (peer === undefined) return this.end()
    this.peer = peer.on("error", (cause) => this.fail("Io", cause.message, cause))
    this.socket.removeAllListeners("data").on("data", (chunk: Buffer) => {
      this.watch.heard()
      const fault = this.frames.push(chunk)
      if (fault !== undefined) this.broken(fault)
    })
    this.looking = setInterval(() => this.look(), PeerWatch.periodOf(this.peerTimeoutMillis))
  }

  /** Queues a message; false while too much waits. */
  readonly write = (message: Outgoing): boolean => this.queue.write(...WebSocketFrames.encodeFrame(message))

  pause(): void {
    this.peer?.pause()
  }

  resume(): void {
    if (!this.over) this.peer?.resume()
  }

  /** Takes no more of either side. */
  end(error?: TransportError): void {
    if (this.over) return
    this.over = true
    clearInterval(this.looking)
    this.queue.stop()
    this.sink.ended(error)
  }

  /** Ends at once, because of the client. */
  fail(reason: TransportError["reason"], message: string, cause?: unknown): void {
    this.broken(new TransportError({ reason, message, cause }))
  }

  /** The end: the queue is sent first. */
  get steps(): OrderlyClose.Steps {
    const { queue, socket } = this
    return {
      stop: () => {
        this.end()
        this.peer?.resume()
      },
      queue,
      peerEnded: OrderlyClose.peerEnded(socket, socket),
      gone: () => socket.destroyed,
      destroy: () => socket.destroy(),
    }
  }

  join(other: Line, ended: () => void): boolean | undefined {
    if (!(other instanceof WebSocketLine)) return undefined
    if (!this.sink.empty() || !other.sink.empty()) return false
    this.passTo(other, ended)
    other.passTo(this, () => {})
    return true
  }

  private passTo(to: WebSocketLine, ended: () => void): void {
    this.joined = true
    to.queue.onDrain(() => this.resume())
    this.frames.passOn(([first, ...more], length) => {
      if (!this.over && !to.queue.write(WebSocketFrames.textHeader(length), first, more)) this.pause()
    })
    this.sink = {
      // A message that had begun before.
      message: (bytes) => {
        if (!to.write(bytes)) this.pause()
        // It is held until it is sent.
        return true
      },
      ended: () => {
        ended()
        to.leave()
      },
      empty: () => true,
    }
    if (this.over) this.sink.ended()
  }

  private leave(): void {
    if (!this.socket.destroyed) Effect.runFork(OrderlyClose.closing(this.steps))
  }

  private broken(error: TransportError): void {
    this.end(error)
    this.socket.destroy()
  }

  /** Looks once whether the client is still there. */
  private look(): void {
    const { peer, socket, peerTimeoutMillis } = this
    if (peer === undefined) return
    const { bytesWritten: written, writableLength: queued } = socket
    const next = this.watch.look({ now: Date.now(), written, queued, paused: peer.isPaused })
    if (next === "ping") peer.ping()
    if (next === "gone") this.fail("Io", `the client has answered no ping for ${peerTimeoutMillis} ms`)
  }
}
