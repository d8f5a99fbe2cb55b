/** Two connections as one. */
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** Carries bytes both ways. Each side may end alone; a side that breaks off takes the other with it. */
export const splice = (client: Duplex, upstream: Duplex): void => {
  const broken = () => isBroken(upstream) && reset(client)
  upstream.on("close", broken)
  client.pipe(upstream)
  upstream.pipe(client)
  if (upstream.destroyed) broken()
}

/** True for a connection that has not ended in both directions. */
export const isBroken = (socket: Duplex): boolean => !socket.readableEnded || !socket.writableFinished

/** Ends a connection so that its peer sees that something is missing. */
export const reset = (socket: Duplex & Partial<Pick<Socket, "resetAndDestroy">>): void => {
  if (socket.destroyed) return
  if (socket.resetAndDestroy === undefined) socket.destroy()
  else socket.resetAndDestroy()
}
