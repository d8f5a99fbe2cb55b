/**
 * One accepted WebSocket as a transport. The package `ws` answers the upgrade. It is installed as `real-ws`, because
 * Bun replaces a module imported as `ws` by its own.
 *
 * Like the peer implementation, the server never sends a Close frame: however a connection ends, TCP ends and the
 * client sees code 1006. `incoming` fails when the client breaks the protocol, a limit or UTF-8, and when it answers
 * no ping for the peer timeout (`PeerWatch` says when that counts).
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type WebSocket, WebSocketServer } from "real-ws"
import { type CutText, cutter } from "../../../core/protocol/CutText.ts"
import * as ErrorText from "../../../core/protocol/ErrorText.ts"
import { MemoryPool } from "../../../core/protocol/MemoryPool.ts"
import * as Framing from "../../../core/transport/Framing.ts"
import * as Inbox from "../../../core/transport/Inbox.ts"
import type { Terms } from "../../../core/transport/Listener.ts"
import {
  maxMessageBytes as defaultMessageBytes,
  type Peer,
  type Transport,
} from "../../../core/transport/Transport.ts"
import * as OrderlyClose from "./OrderlyClose.ts"
import { type Bounds, WebSocketLine } from "./WebSocketLine.ts"

/** An HTTP request that becomes a WebSocket. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
  /** Who has sent it. */
  readonly peer: Peer
}

/** Accepts WebSockets whose messages have at most `maxMessageBytes`. */
export interface Upgrader extends Bounds {
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
  cut: whole ? () => undefined : cutter(new MemoryPool()),
  server: new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    handleProtocols: () => false,
  }),
})

/** Answers the upgrade; closing the scope ends the connection. */
export const make = (
  { request, socket, head, peer: client }: Upgrade,
  { cut, server, ...bounds }: Upgrader,
): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.gen(function* () {
    const inbox = yield* Inbox.make((waiting) => waiting === 0 && line.resume())
    const line: WebSocketLine = new WebSocketLine(socket, bounds, {
      message: (data) => {
        const text = cut(data) ?? Framing.decodeText(data)
        if (text === undefined) line.fail("InvalidUtf8", "message is not valid UTF-8")
        else if (!inbox.offer(text)) line.pause()
        return false
      },
      ended: inbox.end,
      empty: inbox.empty,
    })
    const close = yield* OrderlyClose.make(line.steps, () => line.joined)
    yield* Effect.sync(() => {
      let peer: WebSocket | undefined
      server.handleUpgrade(request, socket, head, (ws) => void (peer = ws))
      line.attach(peer)
    })
    return {
      label: ErrorText.labelOf("ws", addressOf(socket)),
      peer: client,
      incoming: inbox.incoming,
      cut: inbox.cut,
      line,
      write: line.write,
      onDrain: line.queue.onDrain,
      close,
    }
  })

const addressOf = (socket: Socket): string =>
  socket.remoteFamily === "IPv6"
    ? `[${socket.remoteAddress}]:${socket.remotePort}`
    : `${socket.remoteAddress}:${socket.remotePort}`
