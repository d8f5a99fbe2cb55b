import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { Client } from "../../core/client/Client.ts"
import { ClientError } from "../../core/client/ClientError.ts"
import { connect } from "../testing/Client.ts"
import { command } from "../testing/Runtime.ts"

const [program, ...main] = command

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(() => client.close())

const collect = async (bytes: AsyncIterable<Uint8Array>) => {
  const parts: Array<Uint8Array> = []
  for await (const part of bytes) parts.push(part)
  return Buffer.concat(parts)
}

describe("connect", () => {
  it("runs a command to its end and collects its output", async () => {
    expect(await client.run({ argv: ["sh", "-c", "echo héllo; echo oops >&2; exit 3"] })).toEqual({
      exitCode: 3,
      stdout: "héllo\n",
      stderr: "oops\n",
      stdoutBytes: new TextEncoder().encode("héllo\n"),
      stderrBytes: new TextEncoder().encode("oops\n"),
      allBytes: expect.any(Uint8Array),
      all: expect.stringMatching(/^(héllo\noops\n|oops\nhéllo\n)$/),
      durationMs: expect.any(Number),
      endedBy: "exit",
      timedOut: false,
      truncated: false,
    })
  })

  it("starts in the server's directory, or where it is told, with the core of its environment", async () => {
    expect((await client.run({ argv: ["pwd"] })).stdout).toBe(`${process.cwd()}\n`)
    expect((await client.run({ argv: ["pwd"], cwd: "core/client" })).stdout).toBe(
      `${process.cwd()}/core/client\n`,
    )
    expect((await client.run({ argv: ["pwd"], cwd: "/usr" })).stdout).toBe("/usr\n")
    const all = (await client.run({ argv: ["env"], env: { EXTRA: "1" } })).stdout
    expect(all).toContain("EXTRA=1\n")
    expect(all).toContain(`PATH=${process.env["PATH"]}`)
    expect((await client.run({ argv: ["/usr/bin/env"], env: { A: "b" }, inherit: "none" })).stdout).toBe(
      "A=b\n",
    )
  })

  it("lets a program write, read events and end the input", async () => {
    const child = await client.start({ argv: ["cat"], pipeStdin: true })
    await child.write("one ")
    await child.write(new TextEncoder().encode("two"))
    await child.closeStdin()
    const kinds: Array<string> = []
    for await (const event of child) kinds.push(event.kind)
    expect(kinds.slice(-2)).toEqual(["exited", "closed"])
    expect((await collect(child.output())).toString()).toBe("one two")
    expect(await child.exitCode).toBe(0)
    await child.closed
  })

  it("cuts no character in text", async () => {
    const script = "printf 'a\\303'; read go; printf '\\251b\\360\\237'; read go; printf '\\230\\200'"
    const child = await client.start({ argv: ["sh", "-c", script], pipeStdin: true })
    const pieces: Array<string> = []
    for await (const piece of child.text()) {
      if (pieces.push(piece) < 3) await child.write("\n")
    }
    expect(pieces).toEqual(["a", "éb", "😀"])
  })

  it("throws real errors with reason and code", async () => {
    const error = await client.start({ argv: ["/no/such/program"] }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      reason: "ProgramNotFound",
      code: -32603,
      message: "cannot start /no/such/program: it does not exist: No such file or directory (os error 2)",
    })
    await expect(connect({ command: "/no/such/program" })).rejects.toMatchObject({ reason: "Connect" })
  })

  it("terminates a process at the end of its block, and everything when the client is closed", async () => {
    let pid = 0
    {
      await using sleeper = await client.start({ argv: ["sh", "-c", "echo $$; sleep 1000"] })
      for await (const line of sleeper.text()) {
        pid = Number(line)
        break
      }
      expect(process.kill(pid, 0)).toBe(true)
    }
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), 60_000)
    const own = await connect({ inProcess: true })
    const child = await own.start({ argv: ["sleep", "1000"] })
    const failed = child.exitCode.catch((error: unknown) => error)
    await own.close()
    expect(await failed).toMatchObject({ reason: "Disconnected" })
    expect((await own.disconnected).reason).toBe("Disconnected")
    await expect(own.start({ argv: ["true"] })).rejects.toMatchObject({ reason: "Disconnected" })
  })

  it("delivers 32 MiB to a reader that is slower than the child, byte for byte", async () => {
    const megabytes = 32
    const script = `
      const b = Buffer.alloc(65536)
      let n = 0
      const go = () => {
        while (n < ${megabytes * 16}) {
          b.fill(n++)
          if (!process.stdout.write(Buffer.from(b))) return process.stdout.once("drain", go)
        }
      }
      go()`
    const child = await client.start({ argv: ["node", "-e", script] })
    const expected = createHash("sha256")
    for (let n = 0; n < megabytes * 16; n++) expected.update(Buffer.alloc(65536, n & 255))
    const actual = createHash("sha256")
    let size = 0
    let pauses = 0
    for await (const bytes of child.output("stdout")) {
      actual.update(bytes)
      size += bytes.length
      if (size > pauses * 4 * 1024 * 1024) {
        pauses += 1
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    expect(size).toBe(megabytes * 1024 * 1024)
    expect(actual.digest("hex")).toBe(expected.digest("hex"))
    expect(await child.exitCode).toBe(0)
  })

  it("talks to a server over a WebSocket", async () => {
    const server = spawn(program, [...main, "serve"], { stdio: ["ignore", "pipe", "inherit"] })
    try {
      const [line] = (await once(server.stdout, "data")) as [Buffer]
      const remote = await connect({ url: line.toString().trim() }, { clientName: "test" })
      expect((await remote.run({ argv: ["echo", "over ws"] })).stdout).toBe("over ws\n")
      await remote.close()
    } finally {
      server.kill()
    }
    await expect(connect({ url: "ws://127.0.0.1:1" })).rejects.toMatchObject({ reason: "Connect" })
  })

  it("talks to a server over the stdio of a command, and fails its processes when that dies", async () => {
    const remote = await connect({ command: program, args: [...main, "serve", "--listen", "stdio"] })
    expect((await remote.run({ argv: ["echo", "over stdio"] })).stdout).toBe("over stdio\n")
    const parent = await remote.start({ argv: ["sh", "-c", "sleep 0.3; kill -9 $PPID; sleep 100"] })
    const events: Array<string> = []
    for await (const event of parent) events.push(event.kind)
    expect(events).toEqual(["failed"])
    expect(await parent.read()).toMatchObject({ chunks: [], exited: true, exitCode: null, closed: true })
    await remote.close()
  })
})
