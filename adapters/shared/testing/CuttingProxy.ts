/**
 * A TCP proxy to a local port or unix socket that can cut its connections at any moment, also in the middle of a frame,
 * on both sides or for the client only, and that can stop to forward without closing anything.
 */
import { once } from "node:events"
import * as Net from "node:net"

export class CuttingProxy {
  readonly url: string
  /** If false, new connections are closed at once. */
  reachable = true
  /** The number of connections that were cut. */
  cuts = 0
  private readonly server: Net.Server
  private readonly sockets: Set<Net.Socket>
  private readonly links = new Set<Link>()

  /** A proxy in front of a `ws://127.0.0.1:PORT`, `tcp://127.0.0.1:PORT` or `unix:PATH`, which is `tcp:` then. */
  static async make(url: string): Promise<CuttingProxy> {
    const sockets = new Set<Net.Socket>()
    const path = /^unix:(.*)$/.exec(url)?.[1]
    const server = Net.createServer((near) => {
      if (!proxy.reachable) return near.destroy()
      const far = path === undefined ? Net.connect(Number(new URL(url).port), "127.0.0.1") : Net.connect(path)
      const link: Link = { near, far, stranded: false, mute: undefined }
      sockets.add(near)
      proxy.links.add(link)
      const end = () => {
        sockets.delete(near)
        near.destroy()
        if (link.stranded) return
        proxy.links.delete(link)
        far.destroy()
      }
      near.setNoDelay().on("error", end).on("close", end)
      far
        .setNoDelay()
        .on("error", end)
        .on("close", () => {
          link.stranded = false
          end()
        })
      carry(near, far, () => link.mute === "up" || link.mute === "both")
      carry(far, near, () => link.mute === "down" || link.mute === "both" || link.stranded)
      return undefined
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const proxy = new CuttingProxy(path === undefined ? new URL(url).protocol : "tcp:", server, sockets)
    return proxy
  }

  private constructor(scheme: string, server: Net.Server, sockets: Set<Net.Socket>) {
    this.server = server
    this.sockets = sockets
    this.url = `${scheme}//127.0.0.1:${(server.address() as Net.AddressInfo).port}`
  }

  /** Ends every connection for the client alone: to the server it is open, and takes data. */
  strand(): void {
    this.cuts += this.sockets.size
    for (const link of this.links) {
      link.stranded = true
      link.near.destroy()
    }
  }

  /** Ends for the server, too, what is stranded. */
  endStranded(): void {
    for (const { far, stranded } of this.links) if (stranded) far.destroy()
  }

  /** Drops the data of a direction on the open connections, and closes nothing. */
  mute(direction: "up" | "down" | "both"): void {
    for (const link of this.links) link.mute = direction
  }

  /** Cuts every connection. */
  cut(): void {
    this.cuts += this.sockets.size
    for (const socket of this.sockets) socket.destroy()
  }

  close(): void {
    this.cut()
    for (const { far } of this.links) far.destroy()
    this.server.close()
  }
}

interface Link {
  readonly near: Net.Socket
  readonly far: Net.Socket
  stranded: boolean
  mute: "up" | "down" | "both" | undefined
}

/** Forwards with back-pressure, or drops. */
const carry = (from: Net.Socket, to: Net.Socket, drops: () => boolean): void => {
  from.on("data", (bytes: Buffer) => {
    if (!drops() && !to.destroyed && !to.write(bytes)) from.pause()
  })
  for (const event of ["drain", "close"]) to.on(event, () => from.resume())
}
