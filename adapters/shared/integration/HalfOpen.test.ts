/**
 * Links that are half-open: a side of TCP is gone, or a direction carries nothing any more, and neither side closes.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { afterEach, describe, expect, it } from "vitest"
import { WebSocket } from "real-ws"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import { CuttingProxy } from "../testing/CuttingProxy.ts"

const [program, ...main] = command

const servers: Array<ChildProcess> = []
const ways: Array<CuttingProxy> = []
afterEach(() => {
  for (const way of ways.splice(0)) way.close()
  for (const server of servers.splice(0)) server.kill("SIGKILL")
})

/** A server, and a way to it that can be made half-open. */
const serve = async (...flags: ReadonlyArray<string>) => {
  const server = spawn(program, [...main, "serve", ...flags], { stdio: ["ignore", "pipe", "inherit"] })
  servers.push(server)
  const [line] = (await once(server.stdout, "data")) as [Buffer]
  const url = line.toString().trim()
  const way = await CuttingProxy.make(url)
  ways.push(way)
  return { url, way }
}

/** Longer than a busy machine takes to answer a ping. */
const peerTimeoutMillis = 1500

/** A plain WebSocket after its handshake, which answers pings while it reads. */
const plain = async (url: string, resumeSessionId?: string) => {
  const socket = new WebSocket(url)
  await once(socket, "open")
  const ask = async (id: number, method: string, params: object) => {
    const answer = new Promise<string>((resolve) => {
      socket.on("message", (data) => {
        const text = String(data)
        if (text.startsWith(`{"id":${id},`) || text.endsWith(`"id":${id}}`)) resolve(text)
      })
    })
    socket.send(JSON.stringify({ id, method, params }))
    return JSON.parse(await answer) as { result?: { sessionId: string }; error?: { code: number } }
  }
  const hello = await ask(1, "initialize", { clientName: "plain", resumeSessionId })
  socket.send('{"method":"initialized"}')
  return { socket, ask, hello }
}

/** Waits until a client that answers no ping has been taken for gone: a peer timeout has passed. */
const timeoutPasses = async (way: CuttingProxy) => {
  const { socket } = await plain(way.url)
  way.mute("up")
  await once(socket, "close")
}

describe("a half-open link", () => {
  it.each(["up", "down", "both"] as const)(
    "is noticed by the server when nothing comes through (%s), and its session can be resumed",
    async (direction) => {
      const { url, way } = await serve("--peer-timeout-ms", `${peerTimeoutMillis}`)
      const { socket, hello } = await plain(way.url)
      way.mute(direction)
      await once(socket, "close")
      const again = await plain(url, hello.result?.sessionId)
      expect(again.hello.result?.sessionId).toBe(hello.result?.sessionId)
      again.socket.terminate()
    },
  )

  it("is not taken for one where a client reads nothing for longer than the timeout, because it is slow", async () => {
    const { url, way } = await serve("--peer-timeout-ms", `${peerTimeoutMillis}`)
    const { socket, ask } = await plain(url)
    const start = { processId: "p", argv: ["yes"], cwd: "file:///tmp", env: {}, tty: false }
    await ask(2, "process/start", { ...start, env: { PATH: process.env["PATH"] ?? "" } })
    socket.pause()
    for (let round = 0; round < 3; round++) await timeoutPasses(way)
    let closed = false
    socket.on("close", () => (closed = true))
    socket.resume()
    expect((await ask(3, "process/terminate", { processId: "p" })).error).toBe(undefined)
    expect(closed).toBe(false)
    socket.terminate()
  })

  it.each(["ws://127.0.0.1:0", "tcp://127.0.0.1:0"])(
    "is noticed and replaced by the client at %s when a direction carries nothing, and no output is lost",
    async (address) => {
      const { way } = await serve("--listen", address, "--peer-timeout-ms", "0")
      const heartbeat = { heartbeat: "500 millis" } as const
      const client = await connect({ url: way.url }, heartbeat)
      const child = await client.start({ argv: ["cat"], pipeStdin: true })
      const text = child.text()[Symbol.asyncIterator]()
      for (const direction of ["up", "down", "both"] as const) {
        way.mute(direction)
        await child.write(`${direction};`)
        expect((await text.next()).value).toBe(`${direction};`)
      }
      await client.close()
    },
  )

  it("gives the client its session back at once, although the server counts it as connected", async () => {
    const { way } = await serve("--peer-timeout-ms", "0")
    const client = await connect({ url: way.url })
    const child = await client.start({ argv: ["cat"], pipeStdin: true })
    const text = child.text()[Symbol.asyncIterator]()
    for (let round = 0; round < 20; round++) {
      way.strand()
      await child.write(`${round};`)
      expect((await text.next()).value).toBe(`${round};`)
    }
    expect(way.cuts).toBe(20)
    await client.close()
  })
})
