/* oxlint-disable no-control-regex -- the bytes of SOCKS5 */
import { createHash } from "node:crypto"
import { afterEach, describe, expect, it } from "vitest"
import { clientHello, endAll, listening, proxied, socks, socksRequest, Talk } from "./testing/Proxied.ts"

afterEach(endAll)

/** A host that answers each request with its text, and counts its connections. */
const origin = async (answer?: (request: string) => string | undefined) => {
  const seen = { connections: 0, requests: [] as Array<string> }
  const port = await listening((socket) => {
    seen.connections += 1
    let text = ""
    socket.on("data", (bytes: Uint8Array) => {
      text += Buffer.from(bytes).toString("latin1")
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      const end = text.indexOf("\r\n\r\n")
      if (end === -1 || text.length < end + 4 + length) return
      seen.requests.push(text)
      const body = `got ${text.slice(0, text.indexOf("\r\n"))}`
      text = ""
      const own = answer?.(body)
      if (own !== undefined) return void socket.end(own, "latin1")
      socket.write(`HTTP/1.1 200 Fine\r\nContent-Length: ${body.length}\r\nX-A: 1\r\nX-A: 2\r\n\r\n${body}`)
    })
    socket.on("end", () => socket.end())
  })
  return { seen, port }
}

/** A host that sends everything back, and ends when its peer ends. */
const echo = async () => {
  const seen = { connections: 0, got: "" }
  const port = await listening((socket) => {
    seen.connections += 1
    socket.on("data", (bytes: Uint8Array) => {
      seen.got += Buffer.from(bytes).toString("latin1")
      socket.write(bytes)
    })
    socket.on("end", () => socket.end("bye"))
  })
  return { seen, port }
}

const get = (host: string, port: number, more = "", path = "/") =>
  `GET http://${host}:${port}${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n${more}\r\n`
const loopback = "127.0.0.0/8"

describe("A request in absolute form", () => {
  it("reaches an allowed host, without the headers of the proxy", async () => {
    const host = await origin()
    const { port, told, resolved } = await proxied(`allow:x.test,${loopback}`)
    const more =
      "Proxy-Authorization: Basic x\r\nProxy-Connection: keep-alive\r\nConnection: x-hop\r\nX-Hop: 1\r\nX-Own: 1\r\n"
    const talk = new Talk(port).send(get("X.test.", host.port, more, "/a?b=c"))
    const got = await talk.until((text) => text.endsWith("got GET /a?b=c HTTP/1.1"))
    expect(got).toMatch(/^HTTP\/1\.1 200 Fine\r\n/)
    expect(got).toMatch(/X-A: 1\r\nX-A: 2/i)
    const [request = ""] = host.seen.requests
    expect(request).toContain(`Host: x.test:${host.port}\r\n`)
    expect(request).toContain("X-Own: 1")
    expect(request).not.toMatch(/proxy|hop/i)
    expect(told()).toEqual([`http x.test:${host.port} allow:x.test`])
    expect(resolved).toEqual(["x.test"])
  })

  it("is judged each time on one connection", async () => {
    const host = await origin()
    const { port, told, resolved } = await proxied(`allow:x.test,${loopback}`)
    const talk = new Talk(port)
    for (const [name, status] of [
      ["x.test", 200],
      ["y.test", 403],
      ["x.test", 200],
    ] as const) {
      talk.got = ""
      const got = await talk.send(get(name, host.port)).until((text) => /got GET|allow it\n/.test(text))
      expect(got).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    }
    // One behind the other, without waiting.
    talk.got = ""
    talk.send(get("x.test", host.port) + get("y.test", host.port) + get("x.test", host.port))
    const got = await talk.until((text) => text.split("got GET").length === 3)
    expect([...got.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "403", "200"])
    expect(told().filter((line) => line.endsWith(" not_allowed")).length).toBe(2)
    expect(new Set(resolved)).toEqual(new Set(["x.test"]))
    expect(host.seen.connections).toBe(4)
  })

  it("is denied with a header that names the rule, and a sentence", async () => {
    const { port, told, resolved } = await proxied(`allow:x.test,${loopback} deny:*.y.test`)
    const denied = await new Talk(port).send(get("a.y.test", 80)).until((text) => text.endsWith("\n"))
    expect(denied).toMatch(/^HTTP\/1\.1 403 Blocked by the egress rules of procwire\r\n/)
    expect(denied).toMatch(/x-procwire-egress: deny:\*\.y\.test\r\n/i)
    expect(denied).toContain("a.y.test:80 is blocked: the rule deny:*.y.test of the server denies it")
    const unnamed = await new Talk(port).send(get("z.test", 80)).until((text) => text.endsWith("\n"))
    expect(unnamed).toMatch(/x-procwire-egress: not_allowed\r\n/i)
    expect(unnamed).toContain("z.test:80 is blocked: it is not in the allow list of the server")
    expect(unnamed).toContain("the rule allow:z.test:80 would allow it")
    expect(told()).toEqual(["http a.y.test:80 denied", "http z.test:80 not_allowed"])
    expect(resolved).toEqual([])
  })

  it("names its host once, and the same in both places", async () => {
    const host = await origin()
    const { port, resolved } = await proxied(`allow:x.test,y.test,${loopback}`)
    const at = `x.test:${host.port}`
    for (const request of [
      `GET http://${at}/ HTTP/1.1\r\nHost: y.test:${host.port}\r\n\r\n`,
      `GET http://${at}/ HTTP/1.1\r\nHost: x.test\r\n\r\n`,
      `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nHost: y.test\r\n\r\n`,
      `GET http://${at}/ HTTP/1.1\r\nHost: ${at}, y.test\r\n\r\n`,
      `GET http://x.test@y.test:${host.port}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
      `GET http://${at}\\@y.test/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
      `GET http:///x HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
      `GET //${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
      `GET https://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
      `GET ftp://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
      `GET http://x.test%00.z.test:${host.port}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
      `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`,
      `GET http://${at}/ HTTP/1.1\r\nHost : ${at}\r\n\r\n`,
      `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nX: ${"x".repeat(70_000)}\r\n\r\n`,
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\x16\x03\x01\x00\x05hello\r\n\r\n",
      "\x04\x01\x00\x50\x7f\x00\x00\x01\x00\r\n\r\n",
    ]) {
      const got = await new Talk(port).send(request).until((text) => /^HTTP\/1\.1 \d+/.test(text))
      expect(got, JSON.stringify(request.slice(0, 80))).toMatch(/^(?:HTTP\/1\.1 4\d\d |$)/)
    }
    expect(resolved).toEqual([])
    expect(host.seen.connections).toBe(0)
  })

  it("carries bodies of any length and framing, both ways", async () => {
    const big = "x".repeat(1 << 20)
    const host = await origin(() => `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${big}`)
    const { port } = await proxied(`allow:x.test,${loopback}`)
    const head = `POST http://x.test:${host.port}/ HTTP/1.1\r\nHost: x.test:${host.port}\r\n`
    const talk = new Talk(port).send(
      `${head}Content-Length: ${big.length}\r\nConnection: close\r\n\r\n${big}`,
    )
    const got = await talk.all()
    expect(got.match(/x/g)?.length).toBeGreaterThanOrEqual(big.length)
    expect(host.seen.requests[0]?.endsWith(big)).toBe(true)
  })

  it("to a host that is not there, or breaks off, is answered", async () => {
    const broken = await listening((socket) => socket.once("data", () => socket.destroy()))
    const { port, told } = await proxied(`allow:x.test,none.test,${loopback}`, { names: { "none.test": [] } })
    for (const [name, at] of [
      ["x.test", broken],
      ["none.test", 80],
      ["x.test", 1],
    ] as const) {
      const got = await new Talk(port).send(get(name, at)).until((text) => text.endsWith("\n"))
      expect(got).toMatch(/^HTTP\/1\.1 502 /)
    }
    expect(told().length).toBe(3)
  })
})

describe("A WebSocket", () => {
  const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n"

  it("is raw behind its 101, and ends by halves", async () => {
    const requests: Array<string> = []
    const host = await listening((socket) => {
      socket.once("data", (bytes: Uint8Array) => {
        requests.push(Buffer.from(bytes).toString())
        socket.write(
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhi ",
        )
        socket.on("data", (more: Uint8Array) => socket.write(more))
        socket.on("end", () => socket.end(" bye"))
      })
    })
    const { port, told } = await proxied(`allow:x.test,${loopback}`)
    const talk = new Talk(port).send(get("x.test", host, upgrade))
    await talk.until((text) => text.endsWith("hi "))
    talk.send("GET / HTTP/1.1\r\n\r\n")
    await talk.until((text) => text.endsWith("\r\n\r\n"))
    talk.socket.end("last")
    expect(await talk.all()).toMatch(/^HTTP\/1\.1 101 [^]*hi GET \/ HTTP\/1\.1\r\n\r\nlast bye$/)
    expect(requests[0]).toMatch(/connection: upgrade\r\nupgrade: websocket\r\n/i)
    expect(told()).toEqual([`http x.test:${host} allow:x.test`])
  })

  it("is denied by its name, and by its address", async () => {
    const { port, told } = await proxied("allow:x.test")
    const byName = await new Talk(port).send(get("y.test", 80, upgrade)).all()
    expect(byName).toMatch(/^HTTP\/1\.1 403 [^]*not in the allow list/)
    const byAddress = await new Talk(port).send(get("x.test", 80, upgrade)).all()
    expect(byAddress).toMatch(/^HTTP\/1\.1 403 [^]*its address 127\.0\.0\.1 is loopback/)
    expect(told()).toEqual(["http y.test:80 not_allowed", "http x.test:80 not_allowed_local"])
  })

  it("that is none, or that is refused, is an answer and an end", async () => {
    const host = await origin()
    const { port } = await proxied(`allow:x.test,${loopback}`)
    for (const more of [
      upgrade,
      "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n",
    ]) {
      const talk = new Talk(port).send(get("x.test", host.port, more) + get("y.test", host.port))
      expect(await talk.all()).toMatch(/^HTTP\/1\.1 200 Fine\r\n[^]*got GET \/ HTTP\/1\.1$/)
    }
    expect(host.seen.requests[1]).not.toMatch(/h2c|upgrade|http2/i)
    expect(host.seen.connections).toBe(2)
  })
})

describe("A tunnel", () => {
  const both = [
    [
      "CONNECT",
      "https_connect",
      (host: string, port: number) => `CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`,
      /^HTTP\/1\.1 200 [^\r]*\r\n\r\n/,
    ],
    [
      "SOCKS5",
      "socks5_tcp",
      (host: string, port: number) => socks(host, port).toString("latin1"),
      /^\x05\x00\x05\x00\x00\x01\0{6}/,
    ],
  ] as const

  for (const [name, protocol, open, opened] of both) {
    it(`by ${name} carries bytes both ways, also those that come early, and ends by halves`, async () => {
      const host = await echo()
      const { port, told } = await proxied(`allow:x.test:${host.port},${loopback}`)
      const talk = new Talk(port).send(`${open("X.TEST.", host.port)}early`)
      await talk.until((text) => text.endsWith("early"))
      talk.socket.end(" late")
      const got = await talk.all()
      expect(got.replace(opened, "")).toBe("early latebye")
      expect(told()).toEqual([`${protocol} x.test:${host.port} allow:x.test:${host.port}`])
    })

    it(`by ${name} is denied by its name before it is resolved, and by each of its addresses`, async () => {
      const host = await echo()
      const { port, told, resolved } = await proxied("allow:x.test,only.test,127.0.0.2", {
        names: {
          "x.test": ["127.0.0.1", "::ffff:127.0.0.1", "0.0.0.0"],
          "only.test": ["127.0.0.1", "127.0.0.2"],
        },
      })
      for (const target of ["y.test", "x.test", "127.0.0.1", "x.test"])
        expect(await new Talk(port).send(open(target, host.port)).all()).toMatch(
          /^HTTP\/1\.1 403 |^\x05\x00\x05\x02/,
        )
      expect(host.seen.connections).toBe(0)
      expect(resolved).toEqual(["x.test", "x.test"])
      expect(told().map((line) => line.split(" ")[2])).toEqual([
        "not_allowed",
        "not_allowed_local",
        "not_allowed_local",
        "not_allowed_local",
      ])
    })

    it(`by ${name} to the port of TLS begins with the name of its host, or nothing goes there`, async () => {
      const host = await echo()
      const { port, decisions } = await proxied(`allow:x.test,${loopback}`, { tlsPort: host.port })
      const hello = (...names: ReadonlyArray<string>) => clientHello(...names).toString("latin1")
      const alert = "\x15\x03\x01\0\x02\x02\x31"
      for (const first of [
        hello("y.test"),
        hello("x.test.evil.org"),
        hello("x.test\0"),
        hello("x.test", "y.test"),
        hello(),
        `${hello().slice(0, 40)}${"x".repeat(20_000)}`,
        "GET / HTTP/1.1\r\nHost: x.test\r\n\r\n",
        "CONNECT y.test:443 HTTP/1.1\r\n\r\n",
        "SSH-2.0-x\r\n",
      ]) {
        const got = await new Talk(port).send(open("x.test", host.port) + first).all()
        expect(got.replace(opened, ""), JSON.stringify(first.slice(0, 99))).toBe(alert)
      }
      expect(host.seen.got).toBe("")
      expect(decisions.map(([, decision]) => !decision.allowed && decision.reason)).toEqual(
        Array(9).fill("host_mismatch"),
      )
      const whole = `${hello("X.Test.")}and more`
      const talk = new Talk(port).send(open("x.test", host.port))
      for (const byte of whole.slice(0, 50)) {
        await new Promise((done) => setImmediate(done))
        talk.send(byte)
      }
      talk.send(whole.slice(50))
      const got = await talk.until((text) => text.endsWith("and more"))
      expect(got.replace(opened, ""), JSON.stringify(decisions.slice(9))).toBe(whole)
      expect(decisions.at(-1)?.[1]).toEqual({ allowed: true, rule: "allow:x.test" })
      // An address has no name.
      const direct = new Talk(port).send(open("127.0.0.1", host.port) + hello("z.test"))
      await direct.until((text) => text.endsWith(hello("z.test")))
      expect(decisions.length).toBe(11)
    })
  }

  it("of a target that makes no sense is refused", async () => {
    const { port, resolved, told } = await proxied(`allow:x.test,${loopback}`)
    for (const target of [
      "x.test",
      "x.test:",
      "x.test:0",
      "x.test:99999",
      "[::1",
      "::1:443",
      "x.test:80:443",
      "/",
      "a b:1",
    ])
      expect(await new Talk(port).send(`CONNECT ${target} HTTP/1.1\r\n\r\n`).all(), target).toMatch(
        /^HTTP\/1\.1 400 |^$/,
      )
    const refused = "\x05\x00\x05\x02\x00\x01\0\0\0\0\0\0"
    for (const name of ["evil.org\0.x.test", "x.test\0", "", "x test", "x.test%", "é", "*.test"])
      expect(await new Talk(port).send(socks(name, 80)).all(), name).toBe(refused)
    expect(await new Talk(port).send(socks("x.test", 0)).all()).toBe(refused)
    expect(resolved).toEqual([])
    expect(told()).toContain("socks5_tcp evil.org\0.x.test:0 malformed")
  })

  it("of SOCKS5 is TCP without authentication", async () => {
    const { port } = await proxied(`allow:x.test,${loopback}`)
    const answer = (...bytes: ReadonlyArray<number>) => new Talk(port).send(Uint8Array.from(bytes)).all()
    expect(await answer(5, 1, 2)).toBe("\x05\xff")
    expect(await answer(5, 0)).toBe("\x05\xff")
    expect((await answer(5, 1, 0, 5, 2, 0, 1, 127, 0, 0, 1, 0, 80)).slice(2, 4)).toBe("\x05\x07")
    expect((await answer(5, 1, 0, 5, 3, 0, 1, 127, 0, 0, 1, 0, 80)).slice(2, 4)).toBe("\x05\x07")
    expect((await answer(5, 1, 0, 5, 1, 0, 9)).slice(2, 4)).toBe("\x05\x08")
    expect((await answer(5, 1, 0, 4, 1)).slice(2, 4)).toBe("\x05\x01")
    const host = await echo()
    const talk = new Talk(port).send(
      Uint8Array.of(5, 2, 2, 0, 5, 1, 0, 1, 127, 0, 0, 1, host.port >> 8, host.port & 255),
    )
    await talk.send("raw").until((text) => text.endsWith("raw"))
  })

  it("carries much, in both directions, and waits for a slow reader", async () => {
    const host = await echo()
    const { port } = await proxied(`allow:x.test,${loopback}`)
    const talk = new Talk(port).send(socks("x.test", host.port))
    await talk.until((text) => text.length === 12)
    const block = Buffer.alloc(1 << 20, "0123456789abcdef")
    talk.socket.pause()
    for (let at = 0; at < 16; at++) talk.socket.write(block)
    talk.socket.end()
    await new Promise((done) => setTimeout(done, 100))
    // The host has not got all of it: its answers are read by nobody.
    expect(host.seen.got.length).toBeLessThan(16 << 20)
    talk.socket.resume()
    const got = (await talk.all()).slice(12)
    const hash = (text: string) => createHash("sha256").update(text, "latin1").digest("hex")
    expect(hash(got)).toBe(hash(`${block.toString("latin1").repeat(16)}bye`))
  })

  it("that breaks off takes the other side with it", async () => {
    let closed = false
    const port = await listening((socket) => {
      socket.on("data", () => {})
      socket.on("error", () => (closed = true))
    })
    const { port: at } = await proxied(`allow:x.test,${loopback}`)
    const talk = new Talk(at).send(socks("x.test", port))
    await talk.until((text) => text.length === 12)
    talk.socket.resetAndDestroy()
    await expect.poll(() => closed).toBe(true)
  })
})

describe("A proxy", () => {
  it("bounds the time for a head, and the connections", async () => {
    const host = await echo()
    const { port } = await proxied(`allow:x.test,${loopback}`, { headMillis: 50, mostConnections: 3 })
    for (const begin of ["", "GET http://", "\x05", "\x05\x01\x00\x05\x01"])
      expect(await new Talk(port).send(begin).all(), begin).toMatch(/^(?:\x05\x00|HTTP\/1\.1 4[^]*|)$/)
    const tunnels = [1, 2, 3].map(() => new Talk(port).send(socks("x.test", host.port)))
    for (const tunnel of tunnels) await tunnel.until((text) => text.length === 12)
    expect(await new Talk(port).send(socks("x.test", host.port)).all()).toBe("")
    await new Promise((done) => setTimeout(done, 150))
    // A tunnel has no time limit.
    for (const tunnel of tunnels)
      expect(await tunnel.send("x").until((text) => text.endsWith("x"))).toMatch(/x$/)
  })

  it("ends everything at its end, also what it is about to dial", async () => {
    const host = await echo()
    const asked = { resolve: (() => {}) as (answer: boolean) => void }
    const { port, proxy } = await proxied(`ask allow:x.test,${loopback}`, {
      ask: () => new Promise((done) => (asked.resolve = done)),
    })
    const tunnel = new Talk(port).send(socks("x.test", host.port))
    await tunnel.until((text) => text.length === 12)
    const waiting = new Talk(port).send(socks("y.test", host.port))
    await waiting.until((text) => text.length === 2)
    proxy.close()
    asked.resolve(true)
    await tunnel.all()
    await waiting.all()
    expect(await new Talk(port).send(socks("x.test", host.port)).all()).toBe("")
    await new Promise((done) => setTimeout(done, 50))
    expect(host.seen.connections).toBe(1)
  })

  it("asks about what no rule names, and about nothing else", async () => {
    const host = await echo()
    const asked: Array<string> = []
    const { port, told } = await proxied(`ask allow:${loopback} deny:no.test`, {
      ask: async ({ host }) => {
        asked.push(host)
        return host === "yes.test"
      },
    })
    const code = async (name: string) => {
      const got = await new Talk(port).send(socks(name, host.port)).until((text) => text.length === 12)
      return got.charCodeAt(3)
    }
    expect([await code("yes.test"), await code("other.test"), await code("no.test")]).toEqual([0, 2, 2])
    expect(asked).toEqual(["yes.test", "other.test"])
    expect(told().map((line) => line.split(" ")[2])).toEqual(["ask", "not_allowed", "denied"])
  })

  it("dials nothing for messages that are cut at any byte, and hangs on none", async () => {
    const { port, resolved } = await proxied("allow:x.test", { headMillis: 40 })
    const whole = [
      get("y.test", 80),
      `CONNECT y.test:443 HTTP/1.1\r\n\r\n${clientHello("y.test").toString("latin1")}`,
      socks("y.test", 443).toString("latin1") + clientHello("x.test").toString("latin1"),
      Buffer.concat([Buffer.of(5, 1, 0), socksRequest("y.test", 80)]).toString("latin1"),
    ]
    for (const message of whole)
      await Promise.all(
        Array.from(message.slice(0, 120), async (_, at) => {
          const talk = new Talk(port).send(message.slice(0, at))
          if (at % 2 === 0) talk.socket.end()
          await talk.all()
        }),
      )
    expect(resolved).toEqual([])
  })

  it("dials nothing for garbage, whatever it is", async () => {
    const { port, resolved } = await proxied("allow:x.test", { headMillis: 40 })
    let state = 1
    const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
    const valid = [
      get("y.test", 80),
      "CONNECT y.test:443 HTTP/1.1\r\n\r\n",
      socks("y.test", 80).toString("latin1"),
    ]
    for (let round = 0; round < 20; round++)
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          const bytes = Array.from(valid[random(3)]!, (char) => char.charCodeAt(0))
          for (let change = random(6); change >= 0; change--) bytes[random(bytes.length)] = random(256)
          const message = Buffer.from(bytes)
          if (message.includes("x.test")) return
          await new Talk(port).send(message).all()
        }),
      )
    expect(resolved).toEqual([])
  })
})
