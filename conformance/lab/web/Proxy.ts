/** A reverse proxy for tests: it passes requests and upgrades on, below a path that it may take away. */
import { once } from "node:events"
import * as http from "node:http"
import type { AddressInfo } from "node:net"

export interface Proxy {
  readonly port: number
  /** Ends it, and all its connections. */
  readonly close: () => void
}

/** Passes requests on to a port of this host, without `strip` at the begin of each path. */
export const make = async (target: number, strip: string): Promise<Proxy> => {
  const ends: Array<() => void> = []
  const ask = ({ headers, method, url = "" }: http.IncomingMessage): http.ClientRequest => {
    const path = url.startsWith(`${strip}/`) ? url.slice(strip.length) : url
    const request = http.request({ host: "127.0.0.1", port: target, method, path, headers, agent: false })
    return request.on("error", () => {})
  }
  const server = http.createServer((request, response) => {
    const asked = ask(request)
    asked.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(asked)
  })
  server.on("upgrade", (request, socket) => {
    const asked = ask(request)
    ends.push(() => socket.destroy())
    socket.on("error", () => {})
    asked.on("response", ({ statusCode }) => socket.end(`HTTP/1.1 ${statusCode} Refused\r\n\r\n`))
    asked.on("upgrade", ({ rawHeaders }, upstream, head) => {
      ends.push(() => upstream.destroy())
      const lines = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`))
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`)
      socket.write(head)
      socket
        .pipe(upstream)
        .on("error", () => {})
        .pipe(socket)
    })
    asked.end()
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close()
      server.closeAllConnections()
      for (const end of ends) end()
    },
  }
}
