// A way to a WebSocket server that can be cut in the middle of a frame, and that hears what is said on it.
import { once } from "node:events"
import { connect, createServer } from "node:net"
import { ear } from "./frames.mjs"

/** `heard(arrow, text)`: `>` from the client, `<` from the server. */
export const open = async (url, heard) => {
  const port = Number(new URL(url).port)
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
    near.on(
      "data",
      ear((text) => heard(">", text)),
    )
    far.on(
      "data",
      ear((text) => heard("<", text)),
    )
    near.pipe(far)
    return far.pipe(near)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `ws://127.0.0.1:${server.address().port}`,
    /** Ends every connection; the number of connections that were cut so far. */
    cut: () => {
      cuts += sockets.size
      for (const near of sockets.keys()) near.destroy()
      return cuts
    },
    /** Ends every connection for the client, while the server does not notice; the answer lets it notice. */
    cutHalf: () => {
      const halves = [...sockets]
      for (const [near, far] of halves) {
        near.removeAllListeners("close").unpipe(far)
        sockets.delete(near)
        near.destroy()
        far.removeAllListeners("data").unpipe(near).resume()
      }
      return () => halves.forEach(([, far]) => far.destroy())
    },
    /** Whether anybody gets through from now on. */
    reach: (now) => (reachable = now),
    close: () => {
      for (const near of sockets.keys()) near.destroy()
      server.close()
    },
  }
}
