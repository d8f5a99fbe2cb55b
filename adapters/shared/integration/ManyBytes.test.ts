/** Long content both ways over every transport: memory that messages share must never be used too early. */
import { createHash } from "node:crypto"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import type { Target } from "../Program.ts"
import * as Folder from "../testing/Folder.ts"

const [program, ...main] = command

const listening = async (listen: string): Promise<Target> => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-bytes-"))
  const address = listen.replace("PATH", join(folder, "s.sock"))
  const server = spawn(program, [...main, "serve", "--listen", address], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => {
    server.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  })
  const [line] = await once(server.stdout, "data")
  return { url: String(line).trim() }
}

const places: Readonly<Record<string, () => Target | Promise<Target>>> = {
  "in the program": () => ({ inProcess: true }),
  "over stdio": () => ({ command: program, args: [...main, "serve", "--listen", "stdio"] }),
  "over a unix socket": () => listening("unix:PATH"),
  "over TCP": () => listening("tcp://127.0.0.1:0"),
  "over a WebSocket": () => listening("ws://127.0.0.1:0"),
}

/** Lengths of writes: a short one, and around what is sent at once. */
const lengths = [1000, 5000, 65_536, 200_000, 262_144, 262_145, 700_000]

it.each(Object.keys(places))("writes of many processes at once come back whole, %s", async (place) => {
  const client = await connect(await places[place]!())
  const one = async (number: number) => {
    const child = await client.start({ argv: ["cat"], pipeStdin: true })
    const [sent, come] = [createHash("sha256"), createHash("sha256")]
    const write = async () => {
      for (const [at, length] of [...lengths, ...lengths].entries()) {
        // The same memory cannot come twice by chance.
        const bytes = Uint8Array.from({ length }, (_, i) => (i * (2 * number + 1) + (i >> 8) * at) & 255)
        sent.update(bytes)
        await child.write(bytes)
      }
      await child.closeStdin()
    }
    const read = async () => {
      for await (const bytes of child.output("stdout")) come.update(bytes)
    }
    await Promise.all([write(), read()])
    return come.digest("hex") === sent.digest("hex")
  }
  expect(await Promise.all([0, 1, 2, 3, 4, 5].map(one))).toEqual([true, true, true, true, true, true])
  await client.close()
})

it("a file that is too long for one message is streamed both ways", async () => {
  const client = await connect({ inProcess: true })
  onTestFinished(() => client.close())
  const { at, sh } = Folder.make("head -c 33600003 /dev/urandom >big")
  const sha = (bytes: Uint8Array) => createHash("sha1").update(bytes).digest("hex")
  const bytes = await client.fs.readFile(at("big"))
  const sum = sh("sha1sum <big").slice(0, 40)
  expect(sha(bytes)).toBe(sum)
  await client.fs.writeFile(at("copy"), bytes)
  expect(sh("sha1sum <copy").slice(0, 40)).toBe(sum)
  const hash = createHash("sha1")
  for await (const block of client.fs.readStream(at("copy"))) hash.update(block)
  expect(hash.digest("hex")).toBe(sum)
})
