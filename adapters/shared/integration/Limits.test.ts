/** Refusals of a real server because of a limit, on every transport. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import * as net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"

const [program, ...main] = command

let folder = ""
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "procwire-limits-"))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const running: Array<ChildProcess> = []
afterEach(() => running.splice(0).forEach((server) => server.kill("SIGKILL")))

const launch = async (address: string, ...flags: ReadonlyArray<string>) => {
  const listen = address.replace("PATH", join(folder, "s.sock"))
  const server = spawn(program, [...main, "serve", "--listen", listen, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  running.push(server)
  const [line] = await once(server.stdout, "data")
  return String(line).trim()
}

/** Everything that a server sends over lines to a client that sends nothing. */
const overheard = async (url: string): Promise<string> => {
  const { pathname, hostname, port } = new URL(url)
  const socket = url.startsWith("unix:") ? net.connect(pathname) : net.connect(Number(port), hostname)
  let text = ""
  socket.on("data", (bytes: Buffer) => (text += bytes.toString()))
  await once(socket, "end")
  socket.destroy()
  return text
}

const sockets = ["ws://127.0.0.1:0", "tcp://127.0.0.1:0", "unix:PATH"]

describe("a limit of procwire serve", () => {
  it.each(sockets)("refuses a connection too many at %s, and takes it when one has gone", async (address) => {
    const url = await launch(address, "--max-connections", "1")
    const client = await connect({ url }, { reconnect: false })
    const text = "too many connections: limit is 1 (--max-connections)"
    if (address.startsWith("ws")) {
      const response = await fetch(`${url.replace("ws:", "http:")}/readyz`)
      expect(response.status).toBe(200)
      await expect(connect({ url }, { reconnect: false })).rejects.toThrow("too many connections")
    } else {
      expect(await overheard(url)).toBe(
        `${JSON.stringify({ error: { code: -32600, message: text }, id: -1 })}\n`,
      )
      await expect(connect({ url }, { reconnect: false })).rejects.toThrow()
    }
    expect(await client.run({ argv: ["echo", "on"] })).toMatchObject({ stdout: "on\n" })
    await client.close()
    const again = await vi.waitFor(() => connect({ url }, { reconnect: false }), { timeout: 60_000 })
    await again.close()
  })

  it.each(sockets)("ends a connection whose message is too long at %s, and no other", async (address) => {
    const url = await launch(address, "--max-message-bytes", "4096")
    const [client, other] = [await connect({ url }, { reconnect: false }), await connect({ url })]
    await expect(client.start({ argv: ["echo", "x".repeat(5000)] })).rejects.toMatchObject({
      reason: "Disconnected",
    })
    expect(await other.run({ argv: ["echo", "x".repeat(2000)] })).toMatchObject({ exitCode: 0 })
    await other.close()
  })

  // guards: growth
  it("holds itself to them over stdio, too", async () => {
    const flags = ["--max-message-bytes", "4096", "--max-session-processes", "1", "--max-start-burst", "2"]
    const args = [...main, "serve", "--listen", "stdio", ...flags, "--max-starts-per-second", "1"]
    const client = await connect({ command: program, args })
    const first = await client.start({ argv: ["sleep", "600"] })
    await expect(client.start({ argv: ["true"] })).rejects.toMatchObject({
      code: -32600,
      serverMessage: "too many processes in this session: limit is 1 (--max-session-processes)",
    })
    await first.terminate()
    await first.exitCode
    await vi.waitFor(() => client.run({ argv: ["true"] }), { timeout: 60_000 })
    await expect(client.start({ argv: ["x".repeat(5000)] })).rejects.toMatchObject({ reason: "Disconnected" })
  })
})
