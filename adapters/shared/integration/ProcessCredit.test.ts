/** A process whose output is not read on: it waits, and nothing else on its client does. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client, ClientProcess } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import type { Target } from "../Program.ts"
import { CuttingProxy } from "../testing/CuttingProxy.ts"

const [program, ...main] = command
const server = spawn(program, [...main, "serve"], { stdio: ["ignore", "pipe", "inherit"] })

const targets: Record<string, Target> = {
  "in this process": { inProcess: true },
  "over stdio": { command: program, args: [...main, "serve", "--listen", "stdio"] },
}

beforeAll(async () => {
  targets["over a WebSocket"] = { url: String(await once(server.stdout, "data")).trim() }
})
afterAll(() => {
  server.kill("SIGKILL")
})

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("")

/** Takes the first chunk of the output, and no more. */
const begin = async (process: ClientProcess) => {
  const chunks = process.output()[Symbol.asyncIterator]()
  const first = await chunks.next()
  const rest = async () => {
    const taken = [Buffer.from(first.value as Uint8Array)]
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      taken.push(Buffer.from(next.value))
    }
    return Buffer.concat(taken).toString()
  }
  return { chunks, rest }
}

const runs = async (client: Client) => {
  for (let i = 0; i < 20; i++) {
    expect(await client.run({ argv: ["echo", "hi"] })).toMatchObject({
      exitCode: 0,
      stdout: "hi\n",
      stderr: "",
    })
  }
}

describe.each(["in this process", "over stdio", "over a WebSocket"])("a process %s", (name) => {
  let client: Client
  beforeAll(async () => {
    client = await connect(targets[name]!)
  })
  afterAll(() => client.close())

  it("does not hold up the others when one chunk of `yes` is taken", async () => {
    const yes = await client.start({ argv: ["yes"] })
    const { chunks } = await begin(yes)
    await runs(client)
    const much = await client.run({ argv: ["seq", "1000000"] })
    expect(much.stdout === numbers(1_000_000)).toBe(true)
    expect(await yes.terminate()).toBe(true)
    await chunks.return?.()
    expect(await yes.exitCode).toBe(137)
    await yes.closed
  })

  it("goes on exactly where it stopped, to its end", async () => {
    const seq = await client.start({ argv: ["seq", "1000000"] })
    const { rest } = await begin(seq)
    await runs(client)
    expect((await rest()) === numbers(1_000_000)).toBe(true)
    expect(await seq.exitCode).toBe(0)
  })

  it("ends when nobody reads its output, or somebody has left off", async () => {
    const [unread, left] = [
      await client.start({ argv: ["seq", "1000000"] }),
      await client.start({ argv: ["seq", "1000000"] }),
    ]
    for await (const _ of left.output()) break
    expect([await unread.exitCode, await left.exitCode]).toEqual([0, 0])
    await Promise.all([unread.closed, left.closed])
  })

  it("waits for the slowest of its consumers, who all get everything", async () => {
    const seq = await client.start({ argv: ["seq", "1000000"], credit: 65_536 })
    const all = await Promise.all([begin(seq), begin(seq), begin(seq)])
    await runs(client)
    const texts = await Promise.all(all.map(({ rest }) => rest()))
    expect(texts.map((text) => text === numbers(1_000_000))).toEqual([true, true, true])
  })
})

describe("the credit of a process", () => {
  it("is at least one chunk, and null is none", async () => {
    const client = await connect({ inProcess: true })
    await expect(client.start({ argv: ["true"], credit: 1000 })).rejects.toMatchObject({
      reason: "Server",
      message: expect.stringContaining("credit must be at least 65536 bytes") as string,
    })
    const free = await client.start({ argv: ["seq", "1000000"], credit: null })
    expect((await (await begin(free)).rest()) === numbers(1_000_000)).toBe(true)
    await client.close()
  })

  it("begins anew on the next connection, and nothing is lost or doubled", async () => {
    const { url } = targets["over a WebSocket"] as { readonly url: string }
    const proxy = await CuttingProxy.make(url)
    let connected = () => {}
    const onStatus = ({ kind }: { readonly kind: string }) => kind === "connected" && connected()
    const client = await connect({ url: proxy.url }, { onStatus })
    // The server retains all of it.
    const seqs = await Promise.all(
      [65_536, 100_000].map((credit) => client.start({ argv: ["seq", "100000"], credit })),
    )
    const begun = await Promise.all(seqs.map(begin))
    for (let i = 0; i < 3; i++) {
      const again = new Promise<void>((done) => (connected = done))
      proxy.cut()
      await again
      expect(await client.run({ argv: ["echo", "hi"] })).toMatchObject({ stdout: "hi\n" })
    }
    const texts = await Promise.all(begun.map(({ rest }) => rest()))
    expect(texts.map((text) => text === numbers(100_000))).toEqual([true, true])
    expect(proxy.cuts).toBe(3)
    await client.close()
    proxy.close()
  })

  it("holds for a process that another client takes over, too", async () => {
    const { url } = targets["over a WebSocket"] as { readonly url: string }
    const first = await connect({ url })
    const { id } = await first.start({ argv: ["sh", "-c", "read line; seq 1000000"], pipeStdin: true })
    const { sessionId } = first
    await first.close()
    const second = await connect({ url }, { resumeSessionId: sessionId })
    const seq = await second.attach(id)
    await seq.write("go\n")
    const { rest } = await begin(seq)
    await runs(second)
    expect((await rest()) === numbers(1_000_000)).toBe(true)
    await second.close()
  })
})
