/**
 * The addresses at which the client under test finds the server that the suite plays: one address for each case.
 *
 * Over stdio the client starts a program, which does nothing but carry lines between its standard streams and a socket
 * of the suite.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { WebSocketServer } from "real-ws"
import { quote } from "../suite/ShellWords.ts"
import type { TransportKind } from "../suite/wire/TransportKind.ts"

export interface Peer {
  readonly send: (text: string) => void
  /** Ends the connection at once. */
  readonly drop: () => void
}

/** Called for what happens. */
export interface Events {
  readonly opened: (peer: Peer) => void
  readonly message: (peer: Peer, text: string) => void
  readonly ended: (peer: Peer) => void
}

/** An address that is listened on. */
export interface Door {
  /** The value of `{URL}` for the client. */
  readonly url: string
  readonly close: () => void
}

/** Carries lines between the standard streams and a socket; it ends with either. */
const relay = (socket: string) =>
  `const s = require("node:net").connect(${JSON.stringify(socket)});` +
  `process.stdin.pipe(s); s.pipe(process.stdout);` +
  `s.on("close", () => process.exit()); s.on("error", () => process.exit(1))`

const lines =
  (events: Events) =>
  (socket: Socket): void => {
    const peer: Peer = {
      send: (text) => void socket.write(`${text}\n`),
      drop: () => void socket.destroy(),
    }
    socket.on("error", () => undefined)
    socket.on("close", () => events.ended(peer))
    events.opened(peer)
    const reader = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
    reader.on("error", () => undefined)
    reader.on("line", (text) => events.message(peer, text))
  }

const listening = (
  server: Server,
  where: { readonly path: string } | { readonly host: string; readonly port: number },
) =>
  new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(where, resolve)
  })

const local = { host: "127.0.0.1", port: 0 }

const overWebSocket = async (events: Events): Promise<Door> => {
  const server = new WebSocketServer(local)
  server.on("connection", (socket) => {
    const peer: Peer = { send: (text) => socket.send(text), drop: () => socket.terminate() }
    socket.on("error", () => undefined)
    socket.on("close", () => events.ended(peer))
    events.opened(peer)
    socket.on("message", (data) => events.message(peer, (data as Buffer).toString("utf8")))
  })
  await new Promise<void>((resolve) => server.once("listening", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${port}`,
    close: () => {
      for (const socket of server.clients) socket.terminate()
      server.close()
    },
  }
}

const overLines = async (kind: "stdio" | "unix" | "tcp", events: Events): Promise<Door> => {
  const server = createServer(lines(events))
  if (kind === "tcp") {
    await listening(server, local)
    return { url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
  }
  const folder = mkdtempSync(join(tmpdir(), "procwire-client-"))
  const path = join(folder, "s")
  await listening(server, { path })
  const program = join(folder, "server")
  if (kind === "stdio") {
    const words = [process.execPath, ...("Deno" in globalThis ? ["eval"] : ["-e"]), relay(path)]
    writeFileSync(program, `#!/bin/sh\nexec ${words.map(quote).join(" ")}\n`)
    chmodSync(program, 0o700)
  }
  return {
    url: kind === "stdio" ? `stdio:${program}` : `unix:${path}`,
    close: () => {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Listens for the client of one case. */
export const open = (kind: TransportKind, events: Events): Promise<Door> =>
  kind === "ws" ? overWebSocket(events) : overLines(kind, events)
