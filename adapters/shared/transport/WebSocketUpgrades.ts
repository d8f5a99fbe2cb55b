/**
 * HTTP requests that become WebSockets, whoever listens for them: a listener of ours, or the HTTP server of a program.
 * Admission is as `UpgradeAdmission` says.
 *
 * Closing the scope ends every connection.
 */
import * as http from "node:http"
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ListenerService, Terms } from "../../../core/transport/Listener.ts"
import * as AcceptLoop from "./AcceptLoop.ts"
import * as Peers from "./Peers.ts"
import * as SocketAddress from "./SocketAddress.ts"
import * as Sockets from "./Sockets.ts"
import * as UpgradeAdmission from "./UpgradeAdmission.ts"
import type { IncomingMessage } from "node:http"
import { type WebSocket, WebSocketServer } from "real-ws"
import { type CutText, cutter } from "../../../core/protocol/CutText.ts"
import * as ErrorText from "../../../core/protocol/ErrorText.ts"
import { MemoryPool } from "../../../core/protocol/MemoryPool.ts"
import * as Framing from "../../../core/transport/Framing.ts"
import * as Inbox from "../../../core/transport/Inbox.ts"
import {
  maxMessageBytes as defaultMessageBytes,
  type Peer,
  type Transport,
} from "../../../core/transport/Transport.ts"
import * as OrderlyClose from "./OrderlyClose.ts"
import { type Bounds, WebSocketLine } from "./WebSocketLine.ts"

/** The rules of admission, and further answers. */
export interface Options extends UpgradeAdmission.Rules {
  /** The message limit, and when connections are refused. */
  readonly terms?: Terms
  /** True where the sockets speak TLS; by default each socket is asked, which not every runtime can answer. */
  readonly secure?: boolean
  /** Decides about upgrades of its own; undefined for those that are left to the rules. */
  readonly elsewhere?: (request: http.IncomingMessage) => Promise<UpgradeAdmission.Admission> | undefined
}

/** Takes requests. */
export interface WebSocketUpgrades {
  /** Judges a request; `path` is where it counts as asked for, by default where it was. */
  readonly answer: (request: http.IncomingMessage, path?: string) => Promise<UpgradeAdmission.Admission>
  /** Answers the event `upgrade` of an HTTP server: the request is refused, or becomes a connection. */
  readonly upgrade: (
    request: http.IncomingMessage,
    socket: Socket,
    head: Buffer,
    path?: string,
  ) => Promise<void>
  /** Serves the connections. */
  readonly run: ListenerService["run"]
}

/** Takes requests until the scope closes. */
export const make = (options: Options): Effect.Effect<WebSocketUpgrades, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { terms = {} } = options
    const upgrader = makeUpgrader(terms)
    const loop = yield* AcceptLoop.make((upgrade: Upgrade) =>
      Effect.map(makeConnection(upgrade, upgrader), (transport) => ({
        ...transport,
        requested: upgrade.request.url,
      })),
    )
    const track = yield* Sockets.track
    const answer: WebSocketUpgrades["answer"] = async (request, path) => {
      const asked =
        options.elsewhere?.(request) ??
        UpgradeAdmission.answer(UpgradeAdmission.requestOf(request, path), options)
      const { reply, ...admitted }: UpgradeAdmission.Admission = await asked.catch(() => ({ reply: failed }))
      return { reply: reply ?? UpgradeAdmission.full(terms.refusal?.()), ...admitted }
    }
    const upgrade: WebSocketUpgrades["upgrade"] = async (request, socket, head, path) => {
      track(socket)
      const { reply, credential, opened } = await answer(request, path)
      if (reply !== undefined) return refuse(request, socket, reply)
      const { secure = Reflect.get(socket, "encrypted") === true } = options
      const peer = Peers.ofSocket(secure ? "wss" : "ws", socket, credential)
      opened?.(socket)
      loop.accept({ request, socket, head, peer })
    }
    return { answer, upgrade, run: loop.run }
  })

const failed: UpgradeAdmission.Reply = { status: 500, body: "" }

/** Answers an upgrade request like any other HTTP request, and ends its connection. */
const refuse = (
  request: http.IncomingMessage,
  socket: Socket,
  { status, body, headers }: UpgradeAdmission.Reply,
) => {
  const response = new http.ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) })
  response.end(body, () => socket.destroySoon())
}

/** An HTTP request that becomes a WebSocket. */
interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
  readonly peer: Peer
}

/** Accepts WebSockets whose messages have at most `maxMessageBytes`. */
interface Upgrader extends Bounds {
  /** Takes long base64 out of a message. */
  readonly cut: (message: Uint8Array) => CutText | undefined
  readonly server: WebSocketServer
}

/** One upgrader serves all connections of a listener. */
const makeUpgrader = ({
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

/**
 * Answers the upgrade; closing the scope ends the connection. The package `ws` answers it, which is installed as
 * `real-ws`, because Bun replaces a module imported as `ws` by its own.
 *
 * Like the peer implementation, the server never sends a Close frame: however a connection ends, TCP ends and the
 * client sees code 1006. `incoming` fails when the client breaks the protocol, a limit or UTF-8, and when it answers
 * no ping for the peer timeout (`PeerWatch` says when that counts).
 */
const makeConnection = (
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
      label: ErrorText.labelOf(
        "ws",
        SocketAddress.formatHostAndPort({ host: `${socket.remoteAddress}`, port: Number(socket.remotePort) }),
      ),
      peer: client,
      incoming: inbox.incoming,
      cut: inbox.cut,
      line,
      write: line.write,
      onDrain: line.queue.onDrain,
      close,
    }
  })
