/** The built server under load: its memory while clients do not read, bursts of starts, and its end. */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import type { Readable, Writable } from "node:stream"
import { afterEach, describe, expect, it } from "vitest"
import { command, name } from "../../testing/Runtime.ts"

const [program, ...main] = command

/** By how much the server may grow. On Deno a program cannot ask its engine for a small heap. */
const mebibytes = name === "Deno" ? 100 : name === "Bun" ? 64 : 40

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly processId: string; readonly seq: number; readonly chunk?: string }
  readonly result?: { readonly running?: boolean }
}

const servers: Array<ChildProcessByStdio<Writable, Readable, null>> = []
afterEach(() => servers.splice(0).forEach((server) => server.kill("SIGKILL")))

/** A server over stdio after the handshake; `on` gets every later message. */
const serve = (on: (message: Message) => void) => {
  const server = spawn(program, [...main, "serve", "--listen", "stdio"], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  servers.push(server)
  let text = ""
  server.stdout.on("data", (bytes: Buffer) => {
    const lines = (text + bytes.toString("latin1")).split("\n")
    text = lines.pop() ?? ""
    for (const line of lines) on(JSON.parse(line))
  })
  const send = (message: object) => server.stdin.write(`${JSON.stringify(message)}\n`)
  send({ id: 0, method: "initialize", params: { clientName: "test" } })
  send({ method: "initialized" })
  return {
    server,
    send,
    start: (processId: string, script: string) =>
      send({
        id: 1,
        method: "process/start",
        params: {
          processId,
          argv: ["/bin/sh", "-c", script],
          cwd: "file:///tmp",
          env: { PATH: "/usr/bin:/bin" },
          tty: false,
        },
      }),
    residentBytes: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) * 1024,
  }
}

const linux = process.platform === "linux"

describe.runIf(linux)("procwire serve", () => {
  it(
    "keeps its memory within bounds under 1,000,000 one-byte writes of a child",
    { timeout: 300_000 },
    async () => {
      let received = 0
      let before = 0
      let peak = 0
      await new Promise<void>((resolve) => {
        const { start, residentBytes } = serve(({ method, params }) => {
          if (method === undefined && before === 0) {
            before = residentBytes()
            start("p", "exec dd if=/dev/zero bs=1 count=1000000 2>/dev/null")
          }
          if (method === "process/output") {
            received += Buffer.from(params?.chunk ?? "", "base64").length
            if (params !== undefined && params.seq % 5000 === 0) peak = Math.max(peak, residentBytes())
          }
          if (method === "process/closed") {
            peak = Math.max(peak, residentBytes())
            resolve()
          }
        })
      })
      expect(received).toBe(1_000_000)
      expect((peak - before) / 1024 / 1024).toBeLessThan(mebibytes)
    },
  )

  it("answers 300 starts sent at once, of children that print", async () => {
    const closed = new Set<string>()
    await new Promise<void>((resolve) => {
      const { start } = serve(({ method, params }) => {
        if (method === "process/closed" && params !== undefined && closed.add(params.processId).size === 300)
          resolve()
      })
      for (let i = 0; i < 300; i++) start(`p${i}`, "echo a; echo b >&2; echo c")
    })
    expect(closed.size).toBe(300)
  })

  it("exits with 0 at the end of stdin and takes its children along", async () => {
    const ended = await new Promise<number | null>((resolve) => {
      const { server, start } = serve(({ result, id }) => {
        if (id === 1 && result !== undefined) server.stdin.end()
      })
      server.on("close", resolve)
      start("p", "sleep 613")
    })
    expect(ended).toBe(0)
  })
})
