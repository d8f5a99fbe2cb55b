/**
 * The HTTP server of a `WebSocketListener`, and the server that accepts its connections.
 *
 * On Node and Deno they are one. Bun's HTTP server takes no descriptor of a socket that listens already (it binds
 * another port), and no certificate but its first. A server of `node:net` or `node:tls`, which take both, accepts in
 * its place there, and hands each connection to it.
 */
import * as http from "node:http"
import * as https from "node:https"
import * as net from "node:net"
import * as nodeTls from "node:tls"
import * as Effect from "effect/Effect"
import type { TransportError } from "../../../core/transport/Transport.ts"
import * as Tls from "./Tls.ts"

export interface Options {
  /** With it all connections are TLS. */
  readonly tls?: Tls.ServerTls
  /** The descriptor of a socket that listens already. */
  readonly fd?: number | undefined
}

export interface HttpServer {
  /** Has the events of requests and upgrades, and every connection. */
  readonly server: http.Server
  /** Is to listen, and to be closed. */
  readonly acceptor: net.Server
}

/** Makes both; neither listens yet. `track` is told of the connections that the HTTP server does not close itself. */
export const make = (
  { tls, fd }: Options,
  track: (socket: net.Socket) => void,
  respond: http.RequestListener,
): Effect.Effect<HttpServer, TransportError> => {
  if ("Bun" in globalThis && (tls !== undefined || fd !== undefined)) {
    const server = http.createServer(respond)
    const accept = (socket: net.Socket) => {
      track(socket)
      server.emit("connection", socket)
    }
    const halfOpen = { allowHalfOpen: true }
    const acceptor: Effect.Effect<net.Server, TransportError> =
      tls === undefined
        ? Effect.sync(() => net.createServer(halfOpen, accept))
        : Tls.makeServer(tls, (options) => nodeTls.createServer({ ...options, ...halfOpen }, accept))
    return Effect.map(acceptor, (each) => ({ server, acceptor: each }))
  }
  const server: Effect.Effect<http.Server | https.Server, TransportError> =
    tls === undefined
      ? Effect.sync(() => http.createServer(respond))
      : Tls.makeServer(tls, (options) => https.createServer(options, respond))
  return Effect.map(server, (both) => ({ server: both, acceptor: both }))
}
