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
import * as Sockets from "./Sockets.ts"
import * as UpgradeAdmission from "./UpgradeAdmission.ts"
import * as WebSocketConnection from "./WebSocketConnection.ts"

/** Whom to admit, and what else is answered. */
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
  /** What becomes of a request; `path` is where it counts as asked for, by default where it was. */
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
    const upgrader = WebSocketConnection.makeUpgrader(terms)
    const loop = yield* AcceptLoop.make((upgrade: WebSocketConnection.Upgrade) =>
      Effect.map(WebSocketConnection.make(upgrade, upgrader), (transport) => ({
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
