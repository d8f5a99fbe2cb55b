/** The login for browsers, request by request, at a real listener. */
import { once } from "node:events"
import { brotliDecompressSync } from "node:zlib"
import { describe, expect, it, onTestFinished } from "vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Bearer from "../auth/Bearer.ts"
import * as Certificates from "../testing/Certificates.ts"
import { cookieOf, type Headers, opened, rule, upgrade } from "../testing/WebLogins.ts"
import * as Tls from "../transport/Tls.ts"

const json = { "content-type": "application/json" }
const textOf = ({ body }: { readonly body: Buffer }) => body.toString()
const valueOf = ({ body }: { readonly body: Buffer }) => JSON.parse(body.toString()) as unknown

describe("the page", () => {
  it("is compressed for those that take it so, and plain for all others", () =>
    opened(async ({ ask }) => {
      for (const [header, coding] of [
        ["gzip, deflate, br, zstd", "br"],
        ["BR", "br"],
        ["br;q=0.1", "br"],
        ["*", "br"],
        ["br;q=0, gzip", undefined],
        ["gzip, deflate", undefined],
        ["abr, brx", undefined],
        [undefined, undefined],
      ]) {
        const reply = await ask("GET /page.js", { "accept-encoding": header })
        expect(reply.headers["content-encoding"], header).toBe(coding)
        expect(reply).toMatchObject({
          status: 200,
          headers: {
            "content-type": "text/javascript; charset=utf-8",
            vary: "accept-encoding",
            "cache-control": "no-cache",
          },
        })
        expect(textOf(coding === "br" ? { body: brotliDecompressSync(reply.body) } : reply)).toBe("start()")
        const head = await ask("HEAD /page.js", { "accept-encoding": header })
        expect(head.body.length).toBe(0)
        expect(head.headers).toMatchObject({
          "content-length": String(reply.body.length),
          etag: reply.headers["etag"],
        })
        const again = await ask("GET /page.js", {
          "accept-encoding": header,
          "if-none-match": reply.headers["etag"],
        })
        expect([again.status, again.body.length]).toEqual([304, 0])
      }
      expect(textOf(await ask("GET /?x=1"))).toBe("<!doctype html>")
    }))

  // guards: web-paths
  it("has one way to write each path, and no way out of its folder", () =>
    opened(async ({ ask, login }) => {
      const cookie = cookieOf(await login("t-own"))
      for (const path of [
        "/index.html",
        "/page.js.br",
        "/page.js/",
        "/PAGE.JS",
        "//page.js",
        "/./page.js",
        "/../page.js",
        "/../../../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/page.js",
        "/%70age.js",
        "/page.js%00",
        "/page.js%00.html",
        "/..\\..\\page.js",
        "/__proto__",
        "/constructor",
        "/ws/",
        "/info/x",
      ])
        expect((await ask(`GET ${path}`, { cookie })).status, path).toBe(404)
    }))

  it("takes the methods that it has, and says which", () =>
    opened(async ({ ask, origin }) => {
      for (const [line, allow] of [
        ["POST /", "GET, HEAD"],
        ["PUT /page.js", "GET, HEAD"],
        ["DELETE /info", "GET, HEAD"],
        ["OPTIONS /login", "POST"],
        ["GET /login", "POST"],
        ["GET /logout", "POST"],
      ] as const) {
        const reply = await ask(line, { origin })
        expect([reply.status, reply.headers["allow"]], line).toEqual([405, allow])
      }
      expect(await ask("GET /ws")).toMatchObject({ status: 426, headers: { upgrade: "websocket" } })
    }))

  // guards: web-scripts
  it("says with each answer what a browser may do with it", () =>
    opened(async ({ ask, login, origin }) => {
      const answers = await Promise.all([
        ask("GET /"),
        ask("GET /page.js"),
        ask("GET /info"),
        ask("PUT /info"),
        ask("GET /", { host: "other.example" }),
        ask("POST /logout", { origin, ...json }, "{}"),
        login("wrong"),
      ])
      for (const { headers } of answers) {
        expect(headers).toMatchObject({
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer",
          "cross-origin-resource-policy": "same-origin",
          "cross-origin-opener-policy": "same-origin",
          "x-frame-options": "DENY",
        })
        const policy = headers["content-security-policy"] ?? ""
        expect(policy).toContain("default-src 'none'")
        expect(policy).toContain("frame-ancestors 'none'")
        expect(policy).toMatch(/script-src 'self';/)
        expect(headers["cache-control"]).toMatch(/^no-(store|cache)$/)
      }
    }))

  it("leaves all other paths, and upgrades at /, to the rules of the listener", () =>
    opened(async ({ ask, login, origin }) => {
      const cookie = cookieOf(await login("t-control"))
      expect((await ask("GET /readyz")).status).toBe(200)
      expect((await ask("GET /readyz", { origin })).status).toBe(403)
      expect((await ask("GET /healthz")).status).toBe(404)
      expect(await ask("GET /", { ...upgrade, cookie })).toMatchObject({ status: 401 })
      expect(await ask("GET /", { ...upgrade, cookie, origin })).toMatchObject({ status: 403 })
    }))
})

describe("the names of the server", () => {
  const statuses = (hosts: ReadonlyArray<string | undefined>, options = {}) =>
    opened(
      async ({ ask, port }) =>
        Promise.all(
          hosts.map(
            async (host) => (await ask("GET /", { host: host?.replace("PORT", String(port)) })).status,
          ),
        ),
      options,
    )

  // guards: dns-rebinding
  it("are its address and localhost: a name that somebody has pointed at it gets nothing", async () => {
    const known = ["127.0.0.1:PORT", "localhost:PORT", "LOCALHOST:PORT"]
    const unknown = [
      "rebound.example:PORT",
      "rebound.example",
      "127.0.0.1",
      "127.0.0.1:1",
      "localhost",
      "localhost:PORT.example",
      "localhost.:PORT",
      "127.0.0.2:PORT",
      "0.0.0.0:PORT",
      "[::1]:PORT",
      "[::ffff:127.0.0.1]:PORT",
      "2130706433:PORT",
      "127.0.0.1:PORT, rebound.example",
      "user@127.0.0.1:PORT",
    ]
    expect(await statuses([...known, ...unknown])).toEqual([
      ...known.map(() => 200),
      ...unknown.map(() => 421),
    ])
  })

  it("are every address in digits where it listens on all, and those that it was given", async () => {
    const hosts = [{ host: "build.example" }, { host: "proxy.example", port: 8443 }]
    const asked = ["192.0.2.7:PORT", "localhost:PORT", "build.example", "build.example:80", "proxy.example"]
    const other = ["example:PORT", "a.build.example", "build.example.org:PORT", "192.0.2.7:1"]
    expect(await statuses([...asked, ...other], { host: "0.0.0.0", hosts })).toEqual([
      ...asked.map(() => 200),
      ...other.map(() => 421),
    ])
  })

  it("tell which name to add", () =>
    opened(async ({ ask }) => {
      const { body } = await ask("GET /", { host: "build.example:7000" })
      expect(body.toString()).toContain("--web-host build.example")
      expect(textOf(await ask("GET /", { host: "<script>" }))).toBe("the header Host is missing or wrong")
    }))

  // guards: web-origin
  it("hold for the page that sends a request, with scheme and port", () =>
    opened(
      async ({ ask, login, origin, port }) => {
        const cookie = cookieOf(await login("t-own"))
        const connects = async (from: string | undefined, host = `127.0.0.1:${port}`) =>
          (await ask("GET /ws", { ...upgrade, cookie, origin: from, host })).status
        expect(await connects(origin)).toBe(101)
        // A proxy may have put the listener's name, or its own without a port, into Host.
        expect(await connects("https://proxy.example:8443")).toBe(101)
        expect(await connects("https://build.example")).toBe(101)
        expect(await connects("https://proxy.example:8443", "proxy.example")).toBe(101)
        expect(await connects(`http://build.example:${port}`, `build.example:${port}`)).toBe(101)
        for (const [from, host] of [
          [undefined],
          [""],
          ["null"],
          ["https://other.example"],
          [`https://127.0.0.1:${port}`],
          [`http://127.0.0.1:${port === 1 ? 2 : 1}`],
          ["http://127.0.0.1"],
          [`http://localhost:${port}`],
          [`http://127.0.0.1:${port}.other.example`],
          [`http://127.0.0.1:${port}/`],
          [`http://other.example@127.0.0.1:${port}`],
          ["http://proxy.example:8443"],
          ["https://proxy.example"],
          // Another port of a host is the same site, so the cookie comes with it.
          ["http://build.example:1", `build.example:${port}`],
          ["http://build.example", `build.example:${port}`],
        ])
          expect(await connects(from, host), `${from} ${host}`).toBe(403)
      },
      { hosts: [{ host: "build.example" }, { scheme: "https", host: "proxy.example", port: 8443 }] },
    ))

  it("lets a link of another site lead to the page, and nothing else", () =>
    opened(async ({ ask }) => {
      const from = (site: string, mode: string): Headers => ({
        "sec-fetch-site": site,
        "sec-fetch-mode": mode,
      })
      expect((await ask("GET /", from("cross-site", "navigate"))).status).toBe(200)
      expect((await ask("GET /", from("none", "navigate"))).status).toBe(200)
      expect((await ask("GET /page.js", from("same-origin", "no-cors"))).status).toBe(200)
      for (const site of ["cross-site", "same-site"])
        for (const path of ["/page.js", "/info"])
          expect((await ask(`GET ${path}`, from(site, "no-cors"))).status).toBe(403)
    }))
})

describe("logging in", () => {
  // guards: web-link
  it("gives a cookie that names a session: not the token, for no script, and for no other site", () =>
    opened(async ({ ask, login, port }) => {
      const reply = await login("t-observe")
      expect([reply.status, reply.body.length]).toEqual([204, 0])
      expect(reply.headers["set-cookie"]).toMatch(
        new RegExp(`^procwire_${port}=[\\w-]{43}; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict$`),
      )
      expect(cookieOf(await login("t-observe"))).not.toBe(cookieOf(reply))
      const cookie = `other=1; ${cookieOf(reply)}`
      const { instance } = valueOf(await ask("GET /info")) as { instance: string }
      expect(instance).toMatch(/^[\w-]{43}$/)
      expect(valueOf(await ask("GET /info", { cookie }))).toEqual({
        name: "testing",
        instance,
        login: false,
        tokens: true,
        scopes: ["own", "observe"],
      })
      const stranger = { name: "testing", instance, login: true, tokens: true, scopes: [] }
      for (const wrong of [undefined, `procwire_${port}=`, `procwire_${port}=t-observe`, "procwire_1=x"])
        expect(valueOf(await ask("GET /info", { cookie: wrong }))).toEqual(stranger)
    }))

  it("keeps the cookie to TLS where the page came by it, here or at a proxy", () =>
    opened(
      async ({ login }) => {
        const origin = "https://proxy.example"
        const { headers } = await login("t-own", { origin, host: "proxy.example" })
        expect(headers["set-cookie"]).toMatch(/; Secure$/)
      },
      { hosts: [{ host: "proxy.example" }] },
    ))

  it.runIf(Tls.canListen)("keeps the cookie to TLS where the listener speaks it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "procwire-login-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await opened(
      async ({ ask, connect, login, port }) => {
        const reply = await login("t-own")
        expect(reply.headers["set-cookie"]).toMatch(/; Secure$/)
        const plain = { origin: `http://127.0.0.1:${port}` }
        expect((await login("t-own", plain)).status).toBe(403)
        expect((await ask("GET /")).status).toBe(200)
        const socket = await connect(cookieOf(reply))
        socket.terminate()
      },
      { tls: Certificates.make(folder).server },
    )
  })

  // guards: web-origin
  it("is for pages of this server that send JSON: no form of another site can", () =>
    opened(async ({ ask, origin, port }) => {
      const good = JSON.stringify({ token: "t-control" })
      const post = async (headers: Headers, body = good) => (await ask("POST /login", headers, body)).status
      expect(await post({ origin, ...json })).toBe(204)
      expect(await post({ origin, "content-type": "Application/JSON; charset=utf-8" })).toBe(204)
      expect(await post({ ...json })).toBe(403)
      for (const foreign of ["null", "https://other.example", `http://localhost:${port}`])
        expect(await post({ origin: foreign, ...json })).toBe(403)
      expect(await post({ origin, ...json, host: "rebound.example" })).toBe(421)
      for (const type of [
        undefined,
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json-seq",
      ])
        expect(await post({ origin, "content-type": type })).toBe(415)
      for (const body of ["", "{", "[]", "null", "{}", '{"token":1}', '{"token":""}'])
        expect(await post({ origin, ...json }, body), body).toBe(400)
      expect(await post({ origin, ...json }, JSON.stringify({ token: "x".repeat(17_000) }))).toBe(413)
    }))

  // guards: guessed-token
  it("is refused without a right token, and for a while after ten wrong ones", () =>
    opened(async ({ issue, login, pass }) => {
      const wrong = async () => (await login("t-ow")).status
      for (let i = 0; i < 10; i++) {
        expect((await login("t-own")).status).toBe(204)
        expect(await wrong()).toBe(401)
      }
      const refused = await login("t-own")
      expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "10"])
      // A link cannot be guessed, so whoever has one is not kept waiting by others.
      expect((await login(issue("own"))).status).toBe(204)
      await pass(9_999)
      expect(await wrong()).toBe(429)
      await pass(1)
      expect([await wrong(), await wrong()]).toEqual([401, 429])
      await pass(100_000)
      const many = await Promise.all(Array.from({ length: 30 }, wrong))
      expect(many.filter((status) => status === 401)).toHaveLength(10)
    }))

  // guards: web-key, web-link
  it("by a link works once, for ten minutes, and only with the whole secret", () =>
    opened(
      async ({ ask, issue, login, pass }) => {
        const [first, second, viewer] = [issue("control"), issue("control"), issue("own")]
        expect((await login(first.slice(0, -1))).status).toBe(401)
        const reply = await login(first)
        expect(reply.status).toBe(204)
        expect(valueOf(await ask("GET /info", { cookie: cookieOf(reply) }))).toMatchObject({
          scopes: ["own", "observe", "control"],
          tokens: false,
        })
        expect((await login(first)).status).toBe(401)
        expect(valueOf(await ask("GET /info", { cookie: cookieOf(await login(viewer)) }))).toMatchObject({
          scopes: ["own"],
        })
        await pass(600_000)
        expect((await login(second)).status).toBe(401)
        expect((await login("t-own")).status).toBe(401)
      },
      { rule: undefined },
    ))
})

describe("a visitor", () => {
  it("connects with what the token is good for", () =>
    opened(async ({ connect, issue, login, transports }) => {
      for (const [token, credential] of [
        ["t-own", { kind: "token" }],
        ["t-observe", { kind: "token", name: "reader", scope: "observe" }],
        ["t-control", { kind: "token", name: "writer", scope: "control" }],
        [issue("control"), { kind: "link", scope: "control" }],
      ] as const) {
        const socket = await connect(cookieOf(await login(token)))
        const { peer } = transports.at(-1) ?? {}
        expect(peer?.credential).toEqual(credential)
        expect(peer?.scope).toBe("scope" in credential ? credential.scope : undefined)
        socket.terminate()
      }
    }))

  // guards: web-key
  it("has a connection from the page alone, with its cookie, as a well-formed upgrade", () =>
    opened(async ({ ask, login, origin }) => {
      const cookie = cookieOf(await login("t-own"))
      const connects = async (headers: Headers) => (await ask("GET /ws", { ...upgrade, ...headers })).status
      expect(await connects({ origin, cookie })).toBe(101)
      expect(await connects({ origin })).toBe(401)
      expect(await connects({ cookie })).toBe(403)
      expect(await connects({ authorization: "Bearer t-own", origin })).toBe(401)
      expect(await connects({ origin, cookie, host: "rebound.example" })).toBe(421)
      expect(await connects({ origin, cookie, "sec-websocket-version": "12" })).toBe(400)
      expect(await connects({ origin, cookie, "sec-fetch-site": "same-site" })).toBe(403)
      expect((await ask("GET /info", { ...upgrade, origin, cookie })).status).toBe(403)
    }))

  // guards: web-logout
  it("who logs out ends all its connections, and is forgotten", () =>
    opened(async ({ ask, connect, login, origin }) => {
      const [cookie, other] = [cookieOf(await login("t-own")), cookieOf(await login("t-own"))]
      const sockets = [await connect(cookie), await connect(cookie)]
      const untouched = await connect(other)
      const closed = sockets.map((socket) => once(socket, "close"))
      expect((await ask("POST /logout", { origin, cookie }, "{}")).status).toBe(415)
      expect((await ask("POST /logout", { cookie, ...json }, "{}")).status).toBe(403)
      const reply = await ask("POST /logout", { origin, cookie, ...json }, "{}")
      expect(reply.status).toBe(204)
      expect(reply.headers["set-cookie"]).toMatch(/=; Path=\/; Max-Age=0; /)
      expect((await Promise.all(closed)).map(([code]) => code as number)).toEqual([1006, 1006])
      expect(valueOf(await ask("GET /info", { cookie }))).toMatchObject({ login: true })
      expect((await ask("GET /ws", { ...upgrade, origin, cookie })).status).toBe(401)
      expect(valueOf(await ask("GET /info", { cookie: other }))).toMatchObject({ login: false })
      untouched.send("x")
      untouched.terminate()
    }))

  // guards: web-logout
  it("is logged out by the end of its session, which no use puts off", () =>
    opened(async ({ ask, connect, login, origin, pass }) => {
      const cookie = cookieOf(await login("t-own"))
      const socket = await connect(cookie)
      const closed = once(socket, "close")
      await pass(3_599_999)
      expect(valueOf(await ask("GET /info", { cookie }))).toMatchObject({ login: false })
      await pass(1)
      expect((await closed)[0]).toBe(1006)
      expect(valueOf(await ask("GET /info", { cookie }))).toMatchObject({ login: true })
      expect((await ask("GET /ws", { ...upgrade, origin, cookie })).status).toBe(401)
    }))

  // guards: web-logout
  it("is logged out when its token expires, and when the server takes other tokens", async () => {
    const known = new Set(["short", "long"])
    const changing = Bearer.make(async (token) =>
      known.has(token)
        ? { credential: { kind: "jwt" }, until: token === "short" ? 60_000 : undefined }
        : { refusal: "no" },
    )
    await opened(
      async ({ ask, connect, login, origin, pass }) => {
        const short = await login("short")
        expect(short.headers["set-cookie"]).toContain("Max-Age=60;")
        const closed = once(await connect(cookieOf(short)), "close")
        const cookie = cookieOf(await login("long"))
        await pass(60_000)
        await closed
        expect(valueOf(await ask("GET /info", { cookie }))).toMatchObject({ login: false })
        const socket = await connect(cookie)
        known.clear()
        expect((await ask("GET /ws", { ...upgrade, origin, cookie })).status).toBe(401)
        await once(socket, "close")
        known.add("long")
        expect(valueOf(await ask("GET /info", { cookie }))).toMatchObject({ login: true })
      },
      { rule: changing },
    )
  })

  it("who logs in again leaves no session behind", () =>
    opened(async ({ ask, connect, login }) => {
      const cookie = cookieOf(await login("t-own"))
      const closed = once(await connect(cookie), "close")
      const next = cookieOf(await login("t-control", { cookie }))
      await closed
      expect(valueOf(await ask("GET /info", { cookie }))).toMatchObject({ login: true })
      expect(valueOf(await ask("GET /info", { cookie: next }))).toMatchObject({ login: false })
    }))
})

describe("behind a proxy with a prefix", () => {
  it("has its page there, whether the proxy takes the prefix away or not", () =>
    opened(
      async ({ ask, login, origin }) => {
        const reply = await login("t-own")
        expect(reply.headers["set-cookie"]).toContain("; Path=/p/; ")
        const cookie = cookieOf(reply)
        for (const prefix of ["", "/p"]) {
          expect(textOf(await ask(`GET ${prefix}/`))).toBe("<!doctype html>")
          expect(textOf(await ask(`GET ${prefix}/page.js`))).toBe("start()")
          expect(valueOf(await ask(`GET ${prefix}/info`, { cookie }))).toMatchObject({ login: false })
          expect((await ask(`GET ${prefix}/ws`, { ...upgrade, origin, cookie })).status).toBe(101)
        }
        expect(await ask("GET /p")).toMatchObject({ status: 308, headers: { location: "/p/" } })
        for (const path of ["/px/page.js", "/p/p/page.js", "/p//page.js", "/P/page.js"])
          expect((await ask(`GET ${path}`)).status, path).toBe(404)
      },
      { prefix: "/p", rule },
    ))
})
