/** A WebSocket listener for a test, and plain clients. */
import { once } from "node:events"
import * as Effect from "effect/Effect"
import { WebSocket } from "real-ws"
import type { Terms } from "../../../core/transport/Listener.ts"
import type { Transport } from "../../../core/transport/Transport.ts"
import type * as UpgradeAdmission from "../transport/UpgradeAdmission.ts"
import * as WebSocketListener from "../transport/WebSocketListener.ts"

export const echo = (transport: Transport) =>
  transport.incoming.take.pipe(
    Effect.map((text) => void transport.write(text)),
    Effect.forever,
    Effect.ignore,
  )

/** Runs a listener while `test` uses it. */
export const listening = <A>(
  serve: (transport: Transport) => Effect.Effect<void>,
  test: (url: string, address: { host: string; port: number }) => Promise<A>,
  options: {
    readonly host?: string
    readonly admit?: UpgradeAdmission.Admit
    readonly terms?: Terms
  } = {},
) =>
  Effect.gen(function* () {
    const host = options.host ?? "127.0.0.1"
    const listener = yield* WebSocketListener.make({ port: 0, ...options, host })
    yield* Effect.forkScoped(listener.run(serve))
    const port = Number(listener.address.replace(/.*:/u, ""))
    return yield* Effect.promise(() => test(listener.address, { host, port }))
  }).pipe(Effect.scoped, Effect.runPromise)

export const connect = async (url: string, options = {}) => {
  const socket = new WebSocket(url, options)
  await once(socket, "open")
  return socket
}

export const nextMessage = (socket: WebSocket) =>
  once(socket, "message").then(([data, binary]) => ({
    text: (data as Buffer).toString(),
    binary: binary as boolean,
  }))
