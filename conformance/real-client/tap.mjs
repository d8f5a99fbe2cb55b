// A way to a WebSocket server that can be cut in the middle of a frame, and that hears what is said on it.
import { once } from "node:events"
import { connect, createServer } from "node:net"
import { ear } from "./frames.mjs"

/** `heard(arrow, text)`: `>` from the client, `<` from the server. */
export const open = async (url, heard) => {
  const port = Number(new URL(url).port)
  const sockets = new Set()
  let cuts = 0
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1")
    sockets.add(near)
    const end = () => {
      sockets.delete(near)
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) socket.setNoDelay().on("error", end).on("close", end)
    near.on("data", ear((text) => heard(">", text)))
    far.on("data", ear((text) => heard("<", text)))
    near.pipe(far)
    far.pipe(near)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `ws://127.0.0.1:${server.address().port}`,
    /** Ends every connection; the number of connections that were cut so far. */
    cut: () => {
      cuts += sockets.size
      for (const socket of sockets) socket.destroy()
      return cuts
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
