import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { createServer as createSecure } from "node:https"
import { connect, createServer as createPlain, type AddressInfo, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { connect as toServer } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import * as Certificates from "../testing/Certificates.ts"
import * as Codings from "./Codings.ts"

const folder = mkdtempSync(join(tmpdir(), "procwire-http-"))
const certificates = Certificates.make(folder)
const [program, ...main] = command

/** The length of a body that is too long for any buffer on its way. */
const huge = 256 * 1024 * 1024

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

/** A server with these variables in its environment. */
const serverWith = (variables: Record<string, string> = {}): Promise<Client> => {
  const clean = Object.entries(process.env).filter(([name]) => !/proxy|^SSL_CERT|^NODE_EXTRA_CA/i.test(name))
  // Deno asks for its newest version now and then, also through the proxy.
  const own = { DENO_NO_UPDATE_CHECK: "1" }
  const env = { ...(Object.fromEntries(clean) as Record<string, string>), ...own, ...variables }
  return toServer({ command: program, args: [...main, "serve", "--listen", "stdio"], env, stderr: "ignore" })
}

const sockets = new Set<Socket>()
let sent = 0
let cut = 0

const answer: RequestListener = (request, response) => {
  sockets.add(request.socket)
  response.on("close", () => (cut += response.writableFinished ? 0 : 1))
  if (request.url !== "/huge")
    return response
      .writeHead(
        200,
        [
          ["X-A", "1"],
          ["x-b", "ä"],
          ["X-A", "2"],
        ].flat(),
      )
      .end("ok")
  const piece = Buffer.alloc(64 * 1024)
  const pump = () => {
    while (sent < huge) {
      sent += piece.length
      if (!response.write(piece)) return response.once("drain", pump)
    }
    return response.end()
  }
  return pump()
}

const origin = createServer(answer)
const secure = createSecure({ key: certificates.server.key, cert: certificates.server.cert }, answer)
const asked: Array<string> = []
const proxy = createServer((request, response) => {
  asked.push(`${request.url} ${request.headers["proxy-authorization"]}`)
  response.end("proxied")
})
proxy.on("connect", ({ url = "", headers }, socket) => {
  asked.push(`CONNECT ${headers["proxy-authorization"]}`)
  const [host = "", port] = url.split(":")
  const far = connect(Number(port), host, () => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n")
    far.pipe(socket).pipe(far)
  })
  for (const each of [far, socket]) each.on("error", () => [far, socket].forEach((other) => other.destroy()))
})

let urls: { readonly plain: string; readonly secure: string; readonly proxy: string }
let client: Client
const open: Array<Client> = []

beforeAll(async () => {
  const [one, two, three] = await Promise.all([origin, secure, proxy].map(listening))
  urls = {
    plain: `http://127.0.0.1:${one}`,
    secure: `https://127.0.0.1:${two}`,
    proxy: `http://me:p%40ss@127.0.0.1:${three}`,
  }
  client = await serverWith({ SSL_CERT_FILE: certificates.authority.certFile })
})
afterEach(() => Promise.all(open.splice(0).map((each) => each.close())))
afterAll(async () => {
  await client.close()
  for (const server of [origin, secure, proxy]) {
    server.close()
    server.closeAllConnections()
  }
  rmSync(folder, { recursive: true })
})

const also = async (variables: Record<string, string>) => {
  const other = await serverWith(variables)
  open.push(other)
  return other
}

describe("HTTP requests of the server", () => {
  it("are sent as they were asked for, in the case of their method, with nothing of the program", async () => {
    let text = ""
    const raw = createPlain((socket) => {
      socket.on("data", (bytes) => {
        text += bytes.toString("latin1")
        if (text.endsWith("hi")) socket.end("HTTP/1.1 204 No Content\r\n\r\n")
      })
    })
    const host = `127.0.0.1:${await listening(raw)}`
    const headers = [
      { name: "X-Many", value: "a" },
      { name: "x-many", value: "é" },
      { name: "Connection", value: "x-many" },
    ]
    const url = `http://${host}/p?q`
    const { status } = await client.http.request({ url, method: "purgE", headers, body: "hi" })
    raw.close()
    expect(status).toBe(204)
    const added = ["accept: */*", `accept-encoding: ${Codings.names().join(",")}`]
    const own = ["x-many: a", "x-many: \xc3\xa9", "connection: x-many", ...added]
    const lines = ["purgE /p?q HTTP/1.1", ...own, `host: ${host}`, "content-length: 2", "", "hi"]
    expect(text.split("\r\n")).toEqual(lines)
  })

  it("give headers in the order of the wire, with names in lower case, and values that are UTF-8 or not", async () => {
    const raw = createPlain((socket) => {
      const head = "HTTP/1.1 200 OK\r\nX-A: 1\r\nx-b: \xc3\xa9\r\nX-A: \xe9\r\nContent-Length: 2\r\n\r\nok"
      socket.once("data", () => socket.end(head, "latin1"))
    })
    const { headers } = await client.http.request({ url: `http://127.0.0.1:${await listening(raw)}` })
    raw.close()
    const found = headers.map(({ name, value }) => `${name}: ${value}`)
    expect(found).toEqual(["x-a: 1", "x-b: é", "x-a: é", "content-length: 2"])
  })

  it("use a connection again, and another one when the origin has closed it", async () => {
    await client.http.request({ url: urls.plain })
    sockets.clear()
    for (let round = 0; round < 3; round++) await client.http.request({ url: urls.plain })
    expect(sockets.size).toBe(1)
    origin.closeIdleConnections()
    expect((await client.http.request({ url: urls.plain })).text()).toBe("ok")
  })

  it("stall an origin whose body nobody reads, and end it when the client lets go of its connection", async () => {
    const other = await also({})
    const before = cut
    const { status } = await other.http.stream({ url: `${urls.plain}/huge` })
    expect(status).toBe(200)
    let last = -1
    while (sent !== last) {
      last = sent
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(sent).toBeLessThan(huge / 4)
    await other.close()
    await expect.poll(() => cut, { timeout: 60_000 }).toBe(before + 1)
  })

  it("trust the authorities of SSL_CERT_FILE, and no stranger", async () => {
    expect((await client.http.request({ url: urls.secure })).text()).toBe("ok")
    const other = await also({})
    await expect(other.http.request({ url: urls.secure })).rejects.toThrow("error sending request")
    const wrong = await also({ SSL_CERT_FILE: join(folder, "none.pem") })
    await expect(wrong.http.request({ url: urls.secure })).rejects.toThrow("error sending request")
    expect((await wrong.http.request({ url: urls.plain })).text()).toBe("ok")
  })

  it("go through proxies: whole URLs in the clear, tunnels for TLS, and directly where NO_PROXY says so", async () => {
    const variables = { ALL_PROXY: urls.proxy, SSL_CERT_FILE: certificates.authority.certFile }
    const other = await also(variables)
    asked.length = 0
    expect((await other.http.request({ url: "http://nowhere.invalid/p" })).text()).toBe("proxied")
    expect((await other.http.request({ url: urls.secure })).text()).toBe("ok")
    const credentials = "Basic bWU6cEBzcw=="
    expect(asked).toEqual([`http://nowhere.invalid/p ${credentials}`, `CONNECT ${credentials}`])
    const direct = await also({ ...variables, NO_PROXY: "127.0.0.0/8" })
    expect((await direct.http.request({ url: urls.plain })).text()).toBe("ok")
    expect(asked.filter((each) => each.startsWith("http:")).length).toBe(1)
  })
})
