/**
 * One accepted WebSocket as a transport. The package `ws` parses what comes in. What goes out is framed here and
 * written straight to the socket, so that bytes are never copied. The package is installed as `real-ws`, because Bun
 * replaces a module imported as `ws` by its own.
 *
 * Like the peer implementation, the server never sends a Close frame: however a connection ends, TCP ends and the
 * client sees code 1006. `incoming` fails when the client breaks the protocol, a limit or UTF-8, and when it answers
 * no ping for the peer timeout (`PeerWatch` says when that counts).
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { WebSocket, WebSocketServer } from "real-ws"
import { CutText } from "../../../core/protocol/CutText.ts"
import { MemoryPool } from "../../../core/protocol/MemoryPool.ts"
import * as Framing from "../../../core/transport/Framing.ts"
import * as Inbox from "../../../core/transport/Inbox.ts"
import type { Terms } from "../../../core/transport/Listener.ts"
import {
  maxMessageBytes as defaultMessageBytes,
  type Peer,
  tooLong,
  type Transport,
  TransportError,
} from "../../../core/transport/Transport.ts"
import * as OrderlyClose from "./OrderlyClose.ts"
import * as PeerWatch from "./PeerWatch.ts"
import * as SendQueue from "./SendQueue.ts"
import * as WebSocketFrames from "./WebSocketFrames.ts"

/** An HTTP request that becomes a WebSocket. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
  /** Who has sent it. */
  readonly peer: Peer
}

class SilentWebSocket extends WebSocket {
  override close(): void {
    this.terminate()
  }
}

/** Accepts WebSockets whose messages have at most `maxMessageBytes`. */
export interface Upgrader {
  readonly maxMessageBytes: number
  readonly peerTimeoutMillis: number
  /** What a message is that is delivered without its base64. */
  readonly cut: (message: Uint8Array) => CutText | undefined
  readonly server: WebSocketServer
}

/** One upgrader serves all connections of a listener. */
export const makeUpgrader = ({
  maxMessageBytes = defaultMessageBytes,
  peerTimeoutMillis = 0,
  whole = false,
}: Terms = {}): Upgrader => ({
  maxMessageBytes,
  peerTimeoutMillis,
  cut: whole ? () => undefined : cutter(),
  server: new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    skipUTF8Validation: true,
    handleProtocols: () => false,
    WebSocket: SilentWebSocket,
  }),
})

/** Answers the upgrade; closing the scope ends the connection. */
export const make = (
  { request, socket, head, peer: client }: Upgrade,
  { maxMessageBytes, peerTimeoutMillis, cut, server }: Upgrader,
): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.gen(function* () {
    let peer: WebSocket | undefined
    let ended = false
    let passed: ((message: Uint8Array) => boolean) | undefined
    const resume = () => {
      if (!ended) peer?.resume()
    }
    const inbox = yield* Inbox.make((waiting) => waiting === 0 && resume())
    const queue = SendQueue.make(socket)
    const frames = new WebSocketFrames.FrameWatch()
    const watch = new PeerWatch.PeerWatch(peerTimeoutMillis, yield* Clock.currentTimeMillis)
    const label = `websocket JSON-RPC message from exec-server websocket ${addressOf(socket)}`

    const end = (error?: TransportError) => {
      if (ended) return
      ended = true
      inbox.end(error)
      queue.stop()
    }
    const broken = (error: TransportError) => {
      end(error)
      socket.destroy()
    }
    const fail = (reason: TransportError["reason"], message: string, cause?: unknown) =>
      broken(new TransportError({ reason, message, cause }))
    const receive = (data: Uint8Array) => {
      if (ended) return
      if (passed !== undefined) return void (passed(data) || peer?.pause())
      const text = cut(data) ?? Framing.decodeText(data)
      if (text === undefined) fail("InvalidUtf8", "message is not valid UTF-8")
      else if (!inbox.offer(text)) peer?.pause()
    }
    const failed = (cause: NodeJS.ErrnoException) =>
      isEnd(cause) ? end() : broken(failureOf(cause, maxMessageBytes))
    const attach = (ws: WebSocket) => {
      peer = ws.on("pong", () => watch.answered()).on("error", failed)
      ws.on("message", (data) => receive(data as Buffer))
      socket.on("data", (chunk: Buffer) => {
        watch.heard()
        if (!frames.push(chunk)) fail("MessageTooLarge", "frame is longer than 16 MiB")
      })
    }
    socket.on("close", () => end())

    const close = yield* OrderlyClose.make({
      stop: () => {
        end()
        peer?.resume()
      },
      queue,
      peerEnded: peerEnded(socket),
      destroy: () => socket.destroy(),
    })
    yield* Effect.sync(() => {
      server.handleUpgrade(request, socket, head, attach)
      if (peer === undefined) end()
    })
    const gone = () => fail("Io", `the client has answered no ping for ${peerTimeoutMillis} ms`)
    const look = looking(socket, watch, () => (ended ? undefined : peer), gone)
    yield* look.pipe(Effect.delay(PeerWatch.periodOf(peerTimeoutMillis)), Effect.forever, Effect.forkScoped)

    return {
      label,
      peer: client,
      incoming: inbox.incoming,
      cut: inbox.cut,
      passOn: (take) => {
        if (!inbox.empty()) return undefined
        passed = take
        return resume
      },
      write: (message) => queue.write(...WebSocketFrames.encodeFrame(message)),
      onDrain: queue.onDrain,
      close,
    }
  })

/** Looks once whether the client is still there. */
const looking = (
  socket: Socket,
  watch: PeerWatch.PeerWatch,
  open: () => WebSocket | undefined,
  gone: () => void,
) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const peer = open()
    if (peer === undefined) return
    const { bytesWritten: written, writableLength: queued } = socket
    const next = watch.look({ now, written, queued, paused: peer.isPaused })
    if (next === "ping") peer.ping()
    if (next === "gone") gone()
  })

const cutter = () => {
  const pool = new MemoryPool()
  return (message: Uint8Array) => CutText.fromBytes(message, pool)
}

const isEnd = ({ code }: NodeJS.ErrnoException) => code === "EPIPE" || code === "ECONNRESET"

const failureOf = (cause: NodeJS.ErrnoException, maxMessageBytes: number): TransportError =>
  cause.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"
    ? tooLong(maxMessageBytes)
    : new TransportError({ reason: "Io", message: cause.message, cause })

/** Waits until the client has ended TCP: destroying the socket earlier could discard what it has not read yet. */
const peerEnded = (socket: Socket): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    if (socket.destroyed || socket.readableEnded) return resume(Effect.void)
    socket.once("end", () => resume(Effect.void))
    socket.once("close", () => resume(Effect.void))
  })

const addressOf = (socket: Socket): string =>
  socket.remoteFamily === "IPv6"
    ? `[${socket.remoteAddress}]:${socket.remotePort}`
    : `${socket.remoteAddress}:${socket.remotePort}`
