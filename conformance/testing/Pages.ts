/** Pages in Chromium that connect to a server of this repository. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, connect, createServer as createRelay, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** The browser, if it is installed. */
export const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path))

/** A server of this repository: its address. */
export const serve = async () => {
  const server = spawn(process.execPath, [join(root, "dist/procwire.cjs"), "serve"], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => void server.kill())
  const [line] = (await once(server.stdout, "data")) as [Buffer]
  return new URL(line.toString().trim())
}

/** Connects to `port`, without the line of the head that tells whose page it is. */
export const relay = async (port: number) => {
  const sockets = new Set<Socket>()
  const relaying = createRelay((page) => {
    const server = connect(port, "127.0.0.1")
    for (const socket of [page, server]) socket.on("error", () => {})
    for (const socket of [page, server]) sockets.add(socket)
    let head = ""
    const read = (bytes: Buffer) => {
      head += bytes.toString("latin1")
      const end = head.indexOf("\r\n\r\n")
      if (end < 0) return
      page.off("data", read)
      server.write(head.replace(/\r\nOrigin:[^\r]*/i, ""), "latin1")
      page.pipe(server)
      server.pipe(page)
    }
    page.on("data", read)
  })
  relaying.listen(0, "127.0.0.1")
  await once(relaying, "listening")
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    relaying.close()
  })
  return (relaying.address() as AddressInfo).port
}

/** A file of a site: its media type and what it holds. */
export type SiteFile = readonly [type: string, content: string | Uint8Array]

/** The report of a page of the site by a POST, opened by Chromium with `hash`. */
export const shown = async (file: (path: string) => SiteFile | undefined, hash: string): Promise<string> => {
  let report: (text: string) => void = () => {}
  const reported = new Promise<string>((resolve) => (report = resolve))
  const site = createServer((request, response) => {
    if (request.method !== "POST") {
      const [type, content] = file(new URL(request.url ?? "/", "http://site").pathname) ?? []
      if (type === undefined) return void response.writeHead(404).end()
      return void response.setHeader("content-type", type).end(content)
    }
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      response.end()
      report(Buffer.concat(pieces).toString())
    })
  }).listen(0, "127.0.0.1")
  await once(site, "listening")
  const { port } = site.address() as AddressInfo
  const profile = mkdtempSync(join(tmpdir(), "procwire-chromium-"))
  const flags = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    `--user-data-dir=${profile}`,
  ]
  // It leads a group, because its own processes go on for a while without it, and write into the profile.
  const words = [...flags, `http://127.0.0.1:${port}/#${hash}`]
  const browser = spawn(chromium ?? "", words, { stdio: "ignore", detached: true })
  const ended = once(browser, "exit").then(([code]) => `Chromium has ended with ${code}`)
  try {
    return await Promise.race([reported, ended])
  } finally {
    spawnSync("kill", ["-KILL", "--", `-${browser.pid}`])
    await ended
    site.closeAllConnections()
    site.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 })
  }
}
