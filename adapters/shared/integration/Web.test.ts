/** `procwire serve --web`: the page of a real server, its link, and what it lets a browser do, without a browser. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, describe, expect, it } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command, platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"
import { visit } from "../testing/Browser.ts"

const [program, ...main] = command
const folder = mkdtempSync(join(tmpdir(), "procwire-web-"))
const servers: Array<ChildProcess> = []
afterAll(() => {
  for (const server of servers) server.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

/** Starts the command; what it prints, line by line, and all that it has logged. */
const launch = (...args: ReadonlyArray<string>) => {
  const server = spawn(program, [...main, "serve", ...args], { stdio: ["ignore", "pipe", "pipe"] })
  servers.push(server)
  let logs = ""
  server.stderr.on("data", (bytes: Buffer) => (logs += bytes.toString()))
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const next = async () => String((await lines.next()).value)
  const ended = once(server, "close").then(([code]) => ({ code: code as number | null, logs }))
  return { server, next, ended, logs: () => logs }
}

describe("procwire serve --web", () => {
  // guards: web-link
  it("prints a link that lets one browser in, to the processes of all; another at SIGUSR2", async () => {
    const { server, next, logs } = launch("--listen", "ws://127.0.0.1:0", "--web", "--log-level", "trace")
    const [url, link] = [await next(), await next()]
    const port = new URL(url).port
    expect(link).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#once=[\\w-]{43}$`))
    const client = await connect({ url })
    const child = await client.start({ argv: ["sleep", "600"], processId: "theirs" })
    const browser = await visit(link)
    expect(browser.status).toBe(204)
    expect(await browser.info()).toMatchObject({ login: false, scopes: ["own", "observe", "control"] })
    const page = await connect(browser.target, { reconnect: false })
    const seen = []
    for await (const { processId } of page.list({ sessions: "all" })) seen.push(processId)
    expect(seen).toEqual(["theirs"])
    expect(await page.run({ argv: ["echo", "from the page"] })).toMatchObject({ stdout: "from the page\n" })

    expect((await visit(link)).status).toBe(401)
    process.kill(server.pid ?? 0, "SIGUSR2")
    const other = await next()
    expect(other).not.toBe(link)
    const second = await visit(other)
    expect(second.status).toBe(204)

    const { cookie } = browser
    expect((await browser.post("logout", {}, { cookie })).status).toBe(204)
    await page.disconnected
    await expect(connect(browser.target, { reconnect: false })).rejects.toMatchObject({ reason: "Connect" })
    await child.terminate()
    await client.close()
    expect(logs()).toContain("a browser has logged in")
    for (const secret of [browser.secret, second.secret, cookie.split("=")[1] ?? "", second.cookie])
      expect(logs()).not.toContain(secret)
  })

  it("serves what the build has made, and clients as before", async () => {
    const token = join(folder, "token")
    writeFileSync(token, "sesame")
    const auth = ["--ws-auth", "capability-token", "--ws-token-file", `ann:observe=${token}`]
    const { next } = launch("--web", "--web-prefix", "/build/", "--web-host", "https://ci.example", ...auth)
    const [url, link] = [await next(), await next()]
    expect(link).toMatch(/^https:\/\/ci\.example\/build\/#once=/)
    const page = url.replace(/^ws/, "http")
    const got = await fetch(`${page}/build/`)
    expect(got.headers.get("content-security-policy")).toContain("default-src 'none'")
    const html = await got.text()
    const names = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = ""]) => name)
    expect(names).toContain("page.js")
    for (const name of names) {
      expect(name).toMatch(/^[\w.-]+$/)
      const file = await fetch(`${page}/build/${name}`, { headers: { "accept-encoding": "identity" } })
      expect([name, file.status, (await file.arrayBuffer()).byteLength > 0]).toEqual([name, 200, true])
    }
    const client = await connect({ url, token: "sesame" })
    expect(await client.run({ argv: ["echo", "client"] })).toMatchObject({ stdout: "client\n" })
    await client.close()
    await expect(connect({ url }, { reconnect: false })).rejects.toMatchObject({ reason: "Connect" })
    const headers = { origin: "https://ci.example", "content-type": "application/json" }
    const body = JSON.stringify({ token: "sesame" })
    const reply = await fetch(`${page}/login`, { method: "POST", headers, body })
    expect(reply.headers.get("set-cookie")).toMatch(/; Path=\/build\/; .*; Secure$/)
  })

  it("has no page without the flag, and none without a place or a use for its flags", async () => {
    const { next, server } = launch("--listen", "ws://127.0.0.1:0")
    const page = (await next()).replace(/^ws/, "http")
    for (const path of ["/info", "/page.js", "/ws"]) expect((await fetch(page + path)).status).toBe(404)
    expect((await fetch(page)).status).toBe(400)
    server.kill("SIGKILL")
    const socket = `unix:${join(folder, "s")}`
    for (const [args, text] of [
      [["--listen", socket, "--web"], "--web needs a ws:// address"],
      [["--web-host", "build.example"], "--web-host needs --web"],
      [["--web-session-ms", "5000"], "--web-session-ms needs --web"],
      [["--web", "--web-host", "a/b"], "invalid value 'a/b' for '--web-host': expected a name"],
      [["--web", "--web-prefix", "p"], "invalid value 'p' for '--web-prefix': expected a path"],
      [["--web", "--web-prefix", "/a/../b"], "invalid value '/a/../b' for '--web-prefix'"],
    ] as const) {
      const { code, logs } = await launch(...args).ended
      expect([args, code, logs.includes(text)], logs).toEqual([args, 2, true])
    }
  })

  it("is an option of programs, which make links for whom they like", async () => {
    const server = await Program.make(platform).serve({
      listen: "ws://127.0.0.1:0",
      web: true,
      webPrefix: "/x",
    })
    const viewer = await visit(server.webLink({ scope: "observe" }) ?? "")
    expect(await viewer.info()).toMatchObject({ scopes: ["own", "observe"] })
    const page = (server.webLink() ?? "").split("#")[0] ?? ""
    const packed = await fetch(`${page}page.js`)
    expect(packed.headers.get("content-type")).toContain("text/javascript")
    const ended = viewer.status === 204 && (await connect(viewer.target, { reconnect: false })).disconnected
    await server.close()
    expect(await ended).toMatchObject({ reason: "Disconnected" })
    const plain = await Program.make(platform).serve({ listen: "ws://127.0.0.1:0" })
    expect(plain.webLink()).toBe(undefined)
    await plain.close()
  })
})
