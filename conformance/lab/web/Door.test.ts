/** The door of the page in a real Chromium: logging in by a link and by a token, and pages of other sites. */
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import * as Proxy from "./Proxy.ts"
import * as Stage from "./Stage.ts"

/** The words of the server about a visitor, asked from inside the page. */
const infoOf = (page: Page) =>
  page.evaluate(async () => (await (await fetch("info")).json()) as { login: boolean; scopes: Array<string> })

describe.skipIf(Stage.executable === undefined)(
  "the page in Chromium",
  { timeout: 600_000, tags: ["chromium"] },
  () => {
    const folder = mkdtempSync(join(tmpdir(), "procwire-door-"))
    let stage: Stage.Stage
    beforeAll(async () => {
      const token = join(folder, "token")
      writeFileSync(token, "sesame")
      stage = await Stage.make({
        args: ["--ws-auth", "capability-token", "--ws-token-file", `reader:observe=${token}`],
      })
    })
    afterAll(async () => {
      await stage?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    it("logs in by the link, once, and leaves no secret in the address", async () => {
      const page = await stage.open()
      expect(page.url()).toBe(stage.url)
      expect(await infoOf(page)).toMatchObject({ login: false, scopes: ["own", "observe", "control"] })
      expect(await page.evaluate(() => document.cookie)).toBe("")
      const other = await (await stage.stranger()).newPage()
      const used = other.waitForResponse((response) => response.url().endsWith("/login"))
      await other.goto(stage.link)
      expect((await used).status()).toBe(401)
      expect(await infoOf(other)).toMatchObject({ login: true, scopes: [] })
    })

    it("logs in with a token, which has its own scope, and logs out again", async () => {
      const page = await (await stage.stranger()).newPage()
      await page.goto(stage.url)
      const post = (path: string, body: object) =>
        page.evaluate(
          async ([path, body]) => {
            const headers = { "content-type": "application/json" }
            return (await fetch(path, { method: "POST", headers, body })).status
          },
          [path, JSON.stringify(body)] as const,
        )
      expect(await post("login", { token: "open" })).toBe(401)
      expect(await post("login", { token: "sesame" })).toBe(204)
      expect(await infoOf(page)).toMatchObject({ login: false, scopes: ["own", "observe"] })
      const closed = page.evaluate(
        () =>
          new Promise((resolve) => {
            const socket = new WebSocket(new URL("ws", location.href).href.replace(/^http/, "ws"))
            socket.addEventListener("open", () => void (document.title = "open"))
            socket.addEventListener("close", ({ code }) => resolve(code))
          }),
      )
      await page.waitForFunction(() => document.title === "open")
      expect(await post("logout", {})).toBe(204)
      expect(await closed).toBe(1006)
      expect(await infoOf(page)).toMatchObject({ login: true })
    })

    // guards: web-origin
    it("refuses pages of other origins, though the browser sends the cookie with theirs", async () => {
      const visitor = await stage.open()
      const foreign = createServer((_, response) => {
        response.setHeader("content-type", "text/html")
        response.end("<!doctype html><title>foreign</title>")
      })
      onTestFinished(() => void foreign.close())
      await once(foreign.listen(0, "127.0.0.1"), "listening")
      const { port } = foreign.address() as AddressInfo
      // For cookies, another port of the same host is the same site; another name is another.
      for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
        const page = await visitor.context().newPage()
        await page.goto(origin)
        const seen = await page.evaluate(async (url) => {
          const opens = (address: string) =>
            new Promise((resolve) => {
              const socket = new WebSocket(address)
              socket.addEventListener("open", () => resolve(true))
              socket.addEventListener("close", () => resolve(false))
            })
          const reads = (path: string, how: RequestInit = {}) =>
            fetch(`${url}${path}`, { credentials: "include", ...how }).then(
              () => true,
              () => false,
            )
          const ws = url.replace(/^http/, "ws")
          const text = { method: "POST", body: "{}", headers: { "content-type": "text/plain" } }
          return {
            page: await opens(`${ws}ws`),
            wire: await opens(ws),
            info: await reads("info"),
            json: await reads("logout", {
              ...text,
              headers: { "content-type": "application/json" },
            }),
            // Such a request is made without asking; its answer is kept from the page.
            blind: await reads("logout", { ...text, mode: "no-cors" }),
          }
        }, stage.url)
        expect(seen, origin).toEqual({ page: false, wire: false, info: false, json: false, blind: false })
        await page.close()
      }
      expect(await infoOf(visitor)).toMatchObject({ login: false })
    })

    // guards: dns-rebinding
    it("does not answer by a name that somebody has pointed at it", async () => {
      const rules = ["--host-resolver-rules=MAP rebound.example 127.0.0.1"]
      const rebound = await Stage.make({ chromium: rules })
      onTestFinished(rebound.close)
      const page = await (await rebound.stranger()).newPage()
      const { port } = new URL(rebound.url)
      const answer = await page.goto(`http://rebound.example:${port}/`)
      expect(answer?.status()).toBe(421)
      expect(await page.textContent("body")).toContain("--web-host rebound.example")
    })

    it("works below a path of a proxy, which may take it away, and by a name of its own", async () => {
      for (const strips of [true, false]) {
        const proxied = await Stage.make({
          args: ["--web-prefix", "/p", "--web-host", "build.localhost"],
        })
        onTestFinished(proxied.close)
        const { port: target } = new URL(proxied.url)
        const proxy = await Proxy.make(Number(target), strips ? "/p" : "")
        onTestFinished(proxy.close)
        const page = await (await proxied.stranger()).newPage()
        await page.goto(`http://build.localhost:${proxy.port}/p${proxied.link.replace(/^[^#]*/, "/")}`)
        await page.waitForFunction(
          async () => !((await (await fetch("info")).json()) as { login: boolean }).login,
        )
        const [cookie] = await page.context().cookies()
        expect(cookie).toMatchObject({
          domain: "build.localhost",
          path: "/p/",
          httpOnly: true,
          sameSite: "Strict",
        })
        const opened = await page.evaluate(
          () =>
            new Promise((resolve) => {
              const socket = new WebSocket(new URL("ws", location.href).href.replace(/^http/, "ws"))
              socket.addEventListener("open", () => resolve(true))
              socket.addEventListener("close", () => resolve(false))
            }),
        )
        expect([strips, opened]).toEqual([strips, true])
      }
    })
  },
)
