// @ts-check
// A proxy in front of a WebSocket server that can cut connections in the middle of a frame.
import { once } from "node:events"
import { connect, createServer } from "node:net"
import { urlOf } from "./model.mjs"

/** @param {string} url of the server */
export const open = async (url) => {
  const port = Number(new URL(url).port)
  /** @type {Map<import("node:net").Socket, import("node:net").Socket>} */
  const sockets = new Map()
  let cuts = 0
  let reachable = true
  const server = createServer((near) => {
    if (!reachable) return near.destroy()
    const far = connect(port, "127.0.0.1")
    sockets.set(near, far)
    const end = () => {
      sockets.delete(near)
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) socket.setNoDelay().on("error", end).on("close", end)
    near.pipe(far)
    return far.pipe(near)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: urlOf(server, "ws"),
    /** Cuts every connection; the number that were cut so far. */
    cut: () => {
      cuts += sockets.size
      for (const near of sockets.keys()) near.destroy()
      return cuts
    },
    /** Ends every connection for the client only; the answer ends them for the server. */
    cutHalf: () => {
      const halves = [...sockets]
      for (const [near, far] of halves) {
        near.removeAllListeners("close").unpipe(far)
        sockets.delete(near)
        near.destroy()
        far.unpipe(near).resume()
      }
      return () => halves.forEach(([, far]) => far.destroy())
    },
    /** Accepts new connections or not. @param {boolean} now */
    reach: (now) => (reachable = now),
    close: () => {
      for (const near of sockets.keys()) near.destroy()
      server.close()
    },
  }
}
