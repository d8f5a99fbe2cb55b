/** A TCP proxy to a local port that can cut its connections at any moment, also in the middle of a frame. */
import { once } from "node:events"
import * as Net from "node:net"

export class CuttingProxy {
  readonly url: string
  /** If false, new connections are closed at once. */
  reachable = true
  /** How many connections were cut. */
  cuts = 0
  private readonly server: Net.Server
  private readonly sockets: Set<Net.Socket>

  /** A proxy in front of a `ws://127.0.0.1:PORT`. */
  static async make(url: string): Promise<CuttingProxy> {
    const sockets = new Set<Net.Socket>()
    const server = Net.createServer((near) => {
      if (!proxy.reachable) return near.destroy()
      const far = Net.connect(Number(new URL(url).port), "127.0.0.1")
      sockets.add(near)
      const end = () => {
        sockets.delete(near)
        near.destroy()
        far.destroy()
      }
      for (const socket of [near, far]) socket.setNoDelay().on("error", end).on("close", end)
      near.pipe(far)
      far.pipe(near)
      return undefined
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const proxy = new CuttingProxy(server, sockets)
    return proxy
  }

  private constructor(server: Net.Server, sockets: Set<Net.Socket>) {
    this.server = server
    this.sockets = sockets
    this.url = `ws://127.0.0.1:${(server.address() as Net.AddressInfo).port}`
  }

  /** Cuts every connection. */
  cut(): void {
    this.cuts += this.sockets.size
    for (const socket of this.sockets) socket.destroy()
  }

  close(): void {
    this.cut()
    this.server.close()
  }
}
