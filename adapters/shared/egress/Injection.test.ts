/** Secrets in requests through a proxy: real sockets on loopback, with TLS to hosts with names of their own. */
import * as fs from "node:fs"
import { createServer as createTlsServer, rootCertificates, type TLSSocket } from "node:tls"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { GivenSecret } from "../../../core/spawn/Spawner.ts"
import * as Certificates from "../testing/Certificates.ts"
import * as Injection from "./Injection.ts"
import type * as Proxy from "./Proxy.ts"
import { endAll, listening, proxied, Talk } from "./testing/Proxied.ts"

const folder = fs.mkdtempSync(join(tmpdir(), "procwire-test-"))
let certificates: Certificates.Certificates
beforeAll(() => {
  certificates = Certificates.make(folder, "DNS:api.test,IP:127.0.0.1")
})
afterEach(endAll)
afterAll(() => fs.rmSync(folder, { recursive: true }))

const value = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
const loopback = "127.0.0.0/8"

/** The work of a host on a whole request, given as text of one byte a character. */
type Answer = (request: string, socket: TLSSocket) => void

const ok: Answer = (_, socket) => void socket.write("HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nok")

/** A host with TLS, and the requests that it has got. */
const secured = async (answer: Answer = ok, by: keyof Certificates.Certificates = "server") => {
  const requests: Array<string> = []
  const { cert, key } = certificates[by]
  const server = createTlsServer({ cert, key }, (socket) => {
    let text = ""
    socket.on("error", () => {})
    socket.on("data", (bytes: Uint8Array) => {
      if (requests.length > 0) return
      text += Buffer.from(bytes).toString("latin1")
      if (!text.includes("\r\n\r\n")) return
      requests.push(text)
      answer(text, socket)
    })
  })
  const port = await listening((socket) => server.emit("connection", socket))
  return { port, requests }
}

/** A host without TLS. */
const bare = async () => {
  const requests: Array<string> = []
  const port = await listening((socket) => {
    socket.on("data", (bytes: Uint8Array) => {
      requests.push(Buffer.from(bytes).toString("latin1"))
      socket.end("HTTP/1.1 200 Fine\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
    })
  })
  return { port, requests }
}

const trusting: Proxy.Options = {
  authorities: async () => ({ ca: [...rootCertificates, certificates.authority.cert] }),
}

/** A proxy whose process has the secret TOKEN, for these hosts. */
const withSecret = async (
  hosts: ReadonlyArray<string>,
  more: Partial<GivenSecret> = {},
  options: Parameters<typeof proxied>[1] = {},
) => {
  const made = await proxied(`allow:api.test,other.test,${loopback}`, {
    ...trusting,
    secrets: [{ name: "TOKEN", value, hosts, ...more }],
    ...options,
  })
  const placeholder = made.injections[0]?.placeholder ?? ""
  return { ...made, placeholder }
}

const lines = (...all: ReadonlyArray<string>) => `${all.join("\r\n")}\r\n\r\n`
const headersOf = (request: string, name: string) =>
  [...request.matchAll(new RegExp(`^${name}: (.*)\\r$`, "gim"))].map(([, text]) => text)

describe("The route of a secret", () => {
  /** Sends a request by the route, and gives the answer and the request that the host has got. */
  const ask = async (
    head: ReadonlyArray<string>,
    { answer = ok, secret = {} }: { readonly answer?: Answer; readonly secret?: Partial<GivenSecret> } = {},
  ) => {
    const host = await secured(answer)
    const made = await withSecret([`api.test:${host.port}`], secret)
    const [first = "", ...others] = head
    const own = others.some((line) => /^host:/i.test(line)) ? [] : [`Host: 127.0.0.1:${made.port}`]
    const text = lines(first, ...own, ...others, "Connection: close").replaceAll(
      "PLACEHOLDER",
      made.placeholder,
    )
    const answered = await new Talk(made.port).send(text).all()
    return {
      ...made,
      answered,
      requests: host.requests,
      request: host.requests[0] ?? "",
      hostPort: host.port,
    }
  }

  it("is a request to its host by TLS, with the header of the secret in place of others", async () => {
    const { answered, request, hostPort, told, resolved } = await ask([
      "GET /_secret/TOKEN/user?a=b HTTP/1.1",
      "Authorization: mine",
      "authorization: mine too",
      "Connection: authorization",
      "X-Own: 1",
    ])
    expect(answered).toMatch(/^HTTP\/1\.1 200 Fine\r\n/)
    expect(request).toMatch(/^GET \/user\?a=b HTTP\/1\.1\r\n/)
    expect(headersOf(request, "host")).toEqual([`api.test:${hostPort}`])
    expect(headersOf(request, "authorization")).toEqual([`Bearer ${value}`])
    expect(headersOf(request, "x-own")).toEqual(["1"])
    expect(request).not.toContain("mine")
    expect(told()).toEqual([`https_connect api.test:${hostPort} allow:api.test`])
    expect(resolved).toEqual(["api.test"])
  })

  it("has the header that the secret names", async () => {
    const named = await ask(["GET /_secret/TOKEN HTTP/1.1"], { secret: { header: "X-Api-Key: ${value}" } })
    expect(named.request).toMatch(/^GET \/ /)
    expect(headersOf(named.request, "x-api-key")).toEqual([value])
    expect(headersOf(named.request, "authorization")).toEqual([])
    const basic = await ask(["GET /_secret/TOKEN?q HTTP/1.1"], {
      secret: { header: "authorization: Basic ${basic:x-access-token}" },
    })
    expect(basic.request).toMatch(/^GET \/\?q /)
    expect(headersOf(basic.request, "authorization")).toEqual([
      `Basic ${Buffer.from(`x-access-token:${value}`).toString("base64")}`,
    ])
  })

  it("keeps the form of a header with the placeholder, also within Basic", async () => {
    const own = await ask([
      "GET /_secret/TOKEN/ HTTP/1.1",
      "Authorization: token PLACEHOLDER",
      "X: PLACEHOLDER",
    ])
    expect(headersOf(own.request, "authorization")).toEqual([`token ${value}`])
    expect(headersOf(own.request, "x")).toEqual([value])
    const { port, placeholder } = own
    const host = await secured()
    const made = await withSecret([`api.test:${host.port}`])
    const credentials = Buffer.from(`me:${made.placeholder}`).toString("base64")
    const text = lines(
      "GET /_secret/TOKEN/ HTTP/1.1",
      `Host: localhost:${made.port}`,
      `Authorization: Basic ${credentials}`,
    )
    await new Talk(made.port).send(text).until((got) => got.endsWith("ok"))
    expect(headersOf(host.requests[0] ?? "", "authorization")).toEqual([
      `Basic ${Buffer.from(`me:${value}`).toString("base64")}`,
    ])
    // Each process has a placeholder of its own, on a listener of its own.
    expect([port, placeholder]).not.toEqual([made.port, made.placeholder])
  })

  // guards: secret-hosts
  it("is of its process alone, and leads to nothing but its host", async () => {
    for (const [target, status] of [
      ["/_secret/OTHER/", 404],
      ["/_secret/", 404],
      ["/_secret/TOKE", 404],
      ["/_secret/TOKEN%00/", 404],
      ["/_secret/TOKEN/../OTHER/", 400],
      ["/_secret/TOKEN/a/%2e%2E/b", 400],
      ["/_secret/TOKEN/..\\b", 400],
      ["/_secret/TOKEN/.", 400],
    ] as const) {
      const { answered, requests } = await ask([`GET ${target} HTTP/1.1`])
      expect([target, answered.slice(9, 12)]).toEqual([target, String(status)])
      expect(requests).toEqual([])
    }
    const elsewhere = await ask(["GET /_secret/TOKEN@other.test/ HTTP/1.1"])
    expect(elsewhere.answered).toMatch(/^HTTP\/1\.1 404 /)
    for (const host of ["api.test", "evil.test:80", "127.0.0.1.evil.test"]) {
      const { answered, requests } = await ask(["GET /_secret/TOKEN/ HTTP/1.1", `Host: ${host}`])
      expect(answered).toMatch(/^HTTP\/1\.1 400 /)
      expect(requests).toEqual([])
    }
    const traced = await ask(["TRACE /_secret/TOKEN/ HTTP/1.1"])
    expect([traced.answered.slice(9, 12), traced.requests]).toEqual(["403", []])
  })

  it("sends no header that a client has put together from lines", async () => {
    for (const smuggled of [
      "X: 1\r\n Authorization: folded",
      "X: 1\rAuthorization: mine",
      "X: 1\nHost: other.test",
      "Authorization : mine",
      "Content-Length: 1\r\nContent-Length: 2",
      "Content-Length: 1\r\nTransfer-Encoding: chunked",
    ]) {
      const { requests, answered } = await ask(["GET /_secret/TOKEN/ HTTP/1.1", smuggled])
      for (const request of requests) {
        expect(headersOf(request, "authorization")).toEqual([`Bearer ${value}`])
        expect(headersOf(request, "host")).toEqual([expect.stringMatching(/^api\.test:\d+$/)])
      }
      if (requests.length === 0) expect(answered).toMatch(/^(?:HTTP\/1\.1 400 |$)/)
    }
  })

  it("asks the rules, and verifies the host", async () => {
    const host = await secured()
    const { port, told } = await withSecret([`api.test:${host.port}`], {}, { names: {} })
    await new Talk(port).send(lines("GET /_secret/TOKEN/ HTTP/1.0", "Host: 127.0.0.1")).all()
    expect(told().length).toBe(1)
    const denying = await proxied(`allow:other.test,${loopback}`, {
      ...trusting,
      secrets: [{ name: "TOKEN", value, hosts: [`api.test:${host.port}`] }],
    })
    const denied = await new Talk(denying.port)
      .send(lines("GET /_secret/TOKEN/ HTTP/1.0", "Host: 127.0.0.1"))
      .all()
    expect(denied).toContain(`api.test:${host.port} is blocked`)
    expect(denying.told()).toEqual([`https_connect api.test:${host.port} not_allowed`])
    expect(host.requests.length).toBe(1)
    // Neither an authority that nobody trusts, nor another name, nor a host without TLS.
    const stranger = await secured(ok, "stranger")
    const plain = await bare()
    for (const [name, at] of [
      ["api.test", stranger.port],
      ["other.test", host.port],
      ["api.test", plain.port],
    ] as const) {
      const made = await withSecret([`${name}:${at}`])
      const got = await new Talk(made.port)
        .send(lines("GET /_secret/TOKEN/ HTTP/1.0", "Host: 127.0.0.1"))
        .all()
      expect(got).toMatch(/^HTTP\/1\.[01] 502 /)
      expect(got).toContain(`TLS to ${name}:${at} has failed: `)
      expect(got).not.toContain(value)
    }
    expect([stranger.requests, host.requests.length]).toEqual([[], 1])
    expect(plain.requests.join("")).not.toContain(value)
  })

  it("leads back to itself from answers, and nowhere else", async () => {
    const told = (hostPort: number) => [
      [`Location: https://api.test:${hostPort}/x?y`, "location", "BASE/x?y"],
      [`Location: //API.test:${hostPort}/x`, "location", "BASE/x"],
      ["Location: /x", "location", "BASE/x"],
      ["Location: x", "location", "x"],
      ["Location: //evil.test/x", "location", "//evil.test/x"],
      ["Location: https://api.test.evil.test/x", "location", "https://api.test.evil.test/x"],
      [
        `Location: https://api.test:${hostPort}@evil.test/`,
        "location",
        `https://api.test:${hostPort}@evil.test/`,
      ],
      [`Location: http://api.test:${hostPort}/x`, "location", `http://api.test:${hostPort}/x`],
      [
        `Link: <https://api.test:${hostPort}/p?page=2>; rel="next", <https://other.test/>; rel="last"`,
        "link",
        'BASE/p?page=2>; rel="next", <https://other.test/>; rel="last"',
      ],
      [`X-Echo: Bearer ${value}`, "x-echo", "Bearer PLACEHOLDER"],
    ]
    for (const index of told(0).keys()) {
      let hostPort = 0
      const host = await secured((_, socket) => {
        const [line = ""] = told(hostPort)[index] ?? []
        socket.write(`HTTP/1.1 302 Found\r\n${line}\r\nContent-Length: 0\r\n\r\n`)
      })
      hostPort = host.port
      const { port, placeholder } = await withSecret([`api.test:${hostPort}`])
      const got = await new Talk(port)
        .send(lines("GET /_secret/TOKEN/ HTTP/1.1", `Host: 127.0.0.1:${port}`, "Connection: close"))
        .all()
      const [, name = "", wanted = ""] = told(hostPort)[index] ?? []
      const base = `http://127.0.0.1:${port}/_secret/TOKEN`
      expect(headersOf(got, name).join()).toContain(
        wanted.replace("BASE", base).replace("PLACEHOLDER", placeholder),
      )
      expect(got).not.toContain(value)
    }
  })

  it("streams both ways without an end", async () => {
    const size = 300_000
    let got = 0
    const host = await secured((_, socket) => {
      // The answer begins before the request has ended.
      socket.write("HTTP/1.1 200 Fine\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegin\r\n")
      socket.on("data", (bytes: Uint8Array) => {
        got += bytes.length
        if (got < 10 * size) return
        got = -Infinity
        socket.write("3\r\nend\r\n0\r\n\r\n")
      })
    })
    const { port } = await withSecret([`api.test:${host.port}`])
    const head = ["POST /_secret/TOKEN/ HTTP/1.1", `Host: 127.0.0.1:${port}`, "Transfer-Encoding: chunked"]
    const talk = new Talk(port).send(lines(...head))
    await talk.until((text) => text.includes("begin"))
    const chunk = `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`
    for (let sent = 0; sent < 11; sent++) talk.send(chunk)
    expect(await talk.until((text) => text.includes("end\r\n"))).toContain("end\r\n")
  })

  it("carries a WebSocket", async () => {
    const host = await secured((_, socket) => {
      socket.write("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nfirst")
      socket.on("data", (bytes: Uint8Array) => socket.write(bytes))
    })
    const { port } = await withSecret([`api.test:${host.port}`])
    const head = [
      "GET /_secret/TOKEN/ws HTTP/1.1",
      `Host: 127.0.0.1:${port}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
    ]
    const talk = new Talk(port).send(lines(...head))
    await talk.until((text) => text.endsWith("first"))
    talk.send("more")
    expect(await talk.until((text) => text.endsWith("more"))).toMatch(/^HTTP\/1\.1 101 /)
    expect(headersOf(host.requests[0] ?? "", "authorization")).toEqual([`Bearer ${value}`])
  })

  it("is not there for patterns", async () => {
    const { port } = await withSecret(["*.api.test"])
    const got = await new Talk(port).send(lines("GET /_secret/TOKEN/ HTTP/1.0", "Host: 127.0.0.1")).all()
    expect(got).toContain("the secret TOKEN has no route: its hosts are patterns")
  })
})

describe("A request in absolute form with a placeholder", () => {
  const get = (host: string, port: number, ...headers: ReadonlyArray<string>) =>
    lines(`GET http://${host}:${port}/ HTTP/1.1`, `Host: ${host}:${port}`, ...headers, "Connection: close")

  it("has the value for the hosts of the secret, and for no other", async () => {
    const host = await bare()
    const { port, placeholder } = await withSecret([`api.test:${host.port}`, "*.api.test"])
    const credentials = (text: string) => Buffer.from(`me:${text}`).toString("base64")
    const headers = [`X-Token: a ${placeholder}`, `X-Basic: Basic ${credentials(placeholder)}`]
    await new Talk(port).send(get("api.test", host.port, ...headers)).all()
    await new Talk(port).send(get("other.test", host.port, ...headers)).all()
    const [named = "", other = ""] = host.requests
    expect(headersOf(named, "x-token")).toEqual([`a ${value}`])
    expect(headersOf(named, "x-basic")).toEqual([`Basic ${credentials(value)}`])
    expect(headersOf(other, "x-token")).toEqual([`a ${placeholder}`])
    expect(headersOf(other, "x-basic")).toEqual([`Basic ${credentials(placeholder)}`])
  })

  it("does not go to a public address without TLS, unless the secret says so", async () => {
    const exposed = async (address: string | undefined, http: boolean, port = 80) => {
      const { injections, placeholder } = await withSecret(["api.test:80"], { http })
      return Injection.exposed(["X", `a ${placeholder}`], { host: "api.test", port }, address, injections)
    }
    for (const address of ["127.0.0.1", "10.1.2.3", "192.168.0.1", "100.64.0.1", "fd00::1", "::1"])
      expect([address, await exposed(address, false)]).toEqual([address, undefined])
    for (const address of ["93.184.216.34", "2606:2800::1", "169.254.169.254", undefined])
      expect([address, await exposed(address, false)]).toEqual([address, "TOKEN"])
    expect(await exposed("93.184.216.34", true)).toBeUndefined()
    // The placeholder goes where the value would not.
    expect(await exposed("93.184.216.34", false, 81)).toBeUndefined()
  })
})
