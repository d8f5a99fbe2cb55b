// @ts-check
// The HTTP server that both servers under test send their requests to. It answers the same each time.
import { createServer } from "node:http"
import { gzipSync } from "node:zlib"

/**
 * @import { IncomingMessage, ServerResponse } from "node:http"
 * @typedef {(rest: string, request: IncomingMessage, response: ServerResponse, body: Buffer) => void} Page
 */

/** @type {Record<string, Page>} */
const pages = {
  echo: (_, { method, url, rawHeaders }, response, body) => {
    const lines = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
    )
    const told = lines.filter((line) => !/^connection:/i.test(line)).sort()
    response.setHeader("content-type", "text/plain")
    response.end([`${method} ${url}`, ...told, "", body.toString("latin1")].join("\n"))
  },
  status: (rest, _, response) =>
    response.writeHead(Number(rest)).end(rest === "204" || rest === "304" ? "" : "body"),
  repeat: (_, __, response) => {
    response
      .writeHead(200, ["X-One", "1", "x-two", "2", "X-One", "3", "set-cookie", "a=1", "set-cookie", "b=2"])
      .end("r")
  },
  redirect: (rest, _, response) => {
    const left = Number(rest)
    response.writeHead(302, { location: left > 0 ? `/redirect/${left - 1}` : "/echo" }).end("moved")
  },
  "see-other": (_, __, response) => response.writeHead(303, { location: "/echo" }).end(),
  temporary: (_, __, response) => response.writeHead(307, { location: "/echo" }).end(),
  elsewhere: (_, __, response) => response.writeHead(301, { location: "http://127.0.0.1:1/" }).end(),
  "no-location": (_, __, response) => response.writeHead(302).end("stay"),
  "bad-location": (_, __, response) => response.writeHead(302, { location: "http://[" }).end("stay"),
  hop: (_, __, response) => response.writeHead(200, { "keep-alive": "timeout=5", "x-b": "ok" }).end("hop"),
  stream: (rest, _, response) => {
    response.writeHead(200, { "content-type": "text/plain" })
    for (let index = 0; index < Number(rest); index += 1) response.write(`part ${index}\n`)
    response.end()
  },
  large: (_, __, response) => response.end(Buffer.alloc(1_500_000, "l")),
  gzip: (_, __, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("packed")),
  cut: (_, __, response) => {
    response.writeHead(200, { "content-length": "100" })
    response.write("half")
    setImmediate(() => response.destroy())
  },
  latin1: (_, __, response) => response.writeHead(200, { "x-l": "\u00e9" }).end("l"),
}

/** Starts it. */
export const start = async () => {
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const parts = []
    request.on("error", () => {})
    request.on("data", (part) => parts.push(part))
    request.on("end", () => {
      response.sendDate = false
      const [, page = "", rest = ""] = (request.url ?? "").split(/[/?]/)
      const show = pages[page]
      if (show) show(rest, request, response, Buffer.concat(parts))
      else response.writeHead(404).end(`no page ${request.url}`)
    })
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
