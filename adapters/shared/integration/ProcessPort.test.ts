/** `process/port`: a port on which a process listens is reached from the host, also in a network of its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as net from "node:net"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Client, ClientProcess } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import { open } from "../testing/EgressChildren.ts"

const { spawner } = open(async () => [])

/** A client of a server with these flags. */
const serve = async (...flags: ReadonlyArray<string>): Promise<Client> => {
  const [program, ...words] = command
  const server = spawn(program, [...words, "serve", "--listen", "ws://127.0.0.1:0", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => void server.kill())
  const [url] = (await once(createInterface(server.stdout), "line")) as [string]
  const client = await connect({ url }, { reconnect: false })
  onTestFinished(() => client.close())
  return client
}

/** Long enough for any machine; only a fault lasts that long. */
const timeoutMs = 60_000

/** A development server: each connection gets its name, then what it sends, and the end when it ends. */
const develop = async (client: Client, name: string, port: number, host = "127.0.0.1") => {
  const script = `
    const server = require("net").createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => {})
      socket.write(process.argv[1] + "\\n")
      socket.pipe(socket)
    })
    server.listen(${port}, "${host}")`
  const child = await client.start({ argv: ["node", "-e", script, name], inherit: "all" })
  const { evidence } = await child.wait({ until: [{ port }], timeoutMs })
  expect(evidence?.port).toMatchObject({ port })
  return child
}

/** The answer to this text, whose end is sent. */
const ask = async ({ host, port }: { readonly host: string; readonly port: number }, said: string) => {
  const socket = net.connect({ host, port, allowHalfOpen: true })
  socket.end(said)
  return text(socket)
}

/** Free on the host just now. */
const freePort = async () => {
  const server = net.createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as net.AddressInfo
  server.close()
  await once(server, "close")
  return port
}

const refusal = (child: ClientProcess, port: number) =>
  child.port(port).then(
    () => "none",
    (error: Error) => error.message,
  )

/** In the way of a server with these flags. */
const reaches = async (own: boolean, ...flags: ReadonlyArray<string>) => {
  const client = await serve(...flags)
  expect(client.environmentInfo.capabilities?.processPort).toBe(true)
  const port = await freePort()
  const first = await develop(client, "first", port)
  const way = await first.port(port)
  expect(way.host).toBe("127.0.0.1")
  expect(await ask(way, "hello")).toBe("first\nhello")
  expect(await first.port(port)).toEqual(way)
  // More than any buffer on the way, in both directions at once.
  const much = "x".repeat(1_000_000)
  const all = await Promise.all(Array.from({ length: 4 }, (_, at) => ask(way, `${at}${much}`)))
  expect(all.map((each, at) => each === `first\n${at}${much}`)).toEqual(all.map(() => true))
  if (own) {
    await expect(ask({ host: "127.0.0.1", port }, "x")).rejects.toThrow("ECONNREFUSED")
    const second = await develop(client, "second", port, "::")
    expect(await ask(await second.port(port), "")).toBe("second\n")
    expect(await ask(way, "")).toBe("first\n")
  }
  const other = await freePort()
  expect(await refusal(first, other)).toContain(`nothing listens on port ${other} within the process`)

  const held = net.connect(way)
  await once(held, "data")
  held.on("error", () => {})
  const over = new Promise((resolve) => held.once("close", resolve))
  await first.terminate()
  await first.closed
  await over
  await expect(ask(way, "x")).rejects.toThrow("ECONNREFUSED")
  expect(await refusal(first, port)).toContain(`nothing listens on port ${port} within the process`)
}

const linux = process.platform === "linux" && ["x64", "arm64"].includes(process.arch)

it.skipIf(!linux)("leads to a process in the network of the host", () => reaches(false))

describe.runIf(spawner.capabilities.egress)("in a network of its own", { tags: ["bubblewrap"] }, () => {
  const flags = ["--confine", "no-network", "--egress", "allow:x.example.org"]

  it("leads to a process with egress rules", () => reaches(true, ...flags))

  it("follows a process that starts its server again, or elsewhere", async () => {
    const client = await serve(...flags)
    const script = `
      const serve = (host, name) => {
        const server = require("net").createServer((socket) => socket.end(name)).listen(5173, host)
        process.stdin.once("data", () => server.close(() => (serve("::1", "two"), console.log("again"))))
      }
      serve("127.0.0.1", "one")`
    const child = await client.start({ argv: ["node", "-e", script], inherit: "all", pipeStdin: true })
    await child.wait({ until: [{ port: 5173 }], timeoutMs })
    const way = await child.port(5173)
    expect(await ask(way, "")).toBe("one")
    await child.write("x")
    await child.wait({ until: [{ pattern: "again" }], timeoutMs })
    await child.wait({ until: [{ port: 5173, host: "::1" }], timeoutMs })
    expect(await ask(way, "")).toBe("two")
  })
})
