import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as readline from "node:readline"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

/** Bytes: the longest message. */
const limit = 4_194_304

/** A server that echoes, or that writes until `write` answers false; it reports on stderr. */
const program = `
import * as Effect from "effect/Effect"
import { Listener } from "../../../core/transport/Listener.ts"
import { layer } from "./StdioTransport.ts"

const say = (text) => process.stderr.write(text + "\\n")
const echo = (transport) =>
  Effect.gen(function* () {
    for (;;) transport.write(yield* transport.incoming.take)
  })
const flood = (transport) =>
  Effect.gen(function* () {
    transport.onDrain(() => say("drained " + transport.write("last")))
    const bytes = new Uint8Array(65536).fill(97)
    while (transport.write(bytes));
    say("stalled")
    yield* Effect.sleep("1 millis")
    say("still running")
    yield* Effect.never
  })
const idle = (transport) =>
  Effect.gen(function* () {
    let seen = 0
    for (;;) {
      yield* Effect.sleep("100 millis")
      const waiting = transport.incoming.size()
      if (waiting > 0 && waiting === seen) break
      seen = waiting
    }
    say("full")
    yield* Effect.sleep("1 hour")
  })
const modes = { echo, flood, idle }
const serve = (transport) =>
  Effect.race(modes[process.argv[2]](transport), transport.incoming.await).pipe(
    Effect.catch((error) => Effect.sync(() => say(error.reason ?? error._tag))),
    Effect.ensuring(Effect.sync(() => say("ended"))),
  )
const served = Effect.flatMap(Listener, (listener) => listener.run(serve))
Effect.runPromise(Effect.provide(served, layer({ maxMessageBytes: ${limit} })))
`

let folder: string
const children: Array<ChildProcess> = []

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "procwire-stdio-"))
  await build({
    stdin: { contents: program, resolveDir: path.dirname(fileURLToPath(import.meta.url)), loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: path.join(folder, "server.mjs"),
    logLevel: "silent",
  })
})

afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
  fs.rmSync(folder, { recursive: true, force: true })
})

const start = (mode: string, stdin: "pipe" | number = "pipe", stdout: "pipe" | number = "pipe") => {
  const child = spawn(process.execPath, [path.join(folder, "server.mjs"), mode], {
    stdio: [stdin, stdout, "pipe"],
  })
  children.push(child)
  child.stdin?.on("error", () => {})
  const remarks: Array<string> = []
  readline.createInterface({ input: child.stderr! }).on("line", (line) => remarks.push(line))
  const remark = async (text: string) => {
    while (!remarks.includes(text)) await once(child.stderr!, "data")
  }
  return { child, remarks, remark, exit: once(child, "close").then(([code]) => code as unknown) }
}

describe("StdioTransport", () => {
  it("carries 4,000 messages both ways in order and exits at the end of stdin", async () => {
    const { child, exit } = start("echo")
    const texts = Array.from({ length: 4000 }, (_, i) => `{"id":${i},"text":"é"}`)
    child.stdin!.write(`${texts.join("\n")}\n`)
    const echoed: Array<string> = []
    for await (const line of readline.createInterface({ input: child.stdout! })) {
      echoed.push(line)
      if (echoed.length === texts.length) child.stdin!.end()
    }
    expect(echoed).toEqual(texts)
    expect(await exit).toBe(0)
  })

  it("carries a message of 3 MB", async () => {
    const { child, exit } = start("echo")
    const text = `"${"x".repeat(3_000_000)}"`
    child.stdin!.write(`${text}\n`)
    for await (const line of readline.createInterface({ input: child.stdout! })) {
      expect(line.length).toBe(text.length)
      child.stdin!.end()
    }
    expect(await exit).toBe(0)
  })

  it("goes on running while nobody reads stdout, and drains when somebody does", async () => {
    const { child, remark, exit } = start("flood")
    child.stdout!.pause()
    await remark("still running")
    child.stdout!.resume()
    await remark("drained true")
    child.stdin!.end()
    expect(await exit).toBe(0)
  })

  it("stops reading stdin while nobody takes", async () => {
    const { child, remark } = start("idle")
    let accepted = 0
    for (let i = 0; i < 64; i++) child.stdin!.write(`${"x".repeat(65_535)}\n`.repeat(16), () => accepted++)
    await remark("full")
    for (let [quiet, before] = [0, accepted]; quiet < 3; before = accepted) {
      await new Promise((resolve) => setTimeout(resolve, 300))
      quiet = accepted === before ? quiet + 1 : 0
    }
    expect(accepted).toBeLessThan(32)
    child.kill("SIGKILL")
  })

  it.each([
    ["broken UTF-8", Buffer.from([0x22, 0xff, 0x22, 0x0a]), "InvalidUtf8"],
    ["a line over its limit", Buffer.alloc(limit + 1, "x"), "MessageTooLarge"],
  ])("fails on %s and lets the process exit while stdin is open", async (_, bytes, reason) => {
    const { child, remarks, exit } = start("echo")
    child.stdin!.write(bytes)
    expect(await exit).toBe(0)
    expect(remarks).toEqual([reason, "ended"])
  })

  it("ends when nobody can read stdout any more", async () => {
    const { child, remarks, exit } = start("echo")
    child.stdout!.destroy()
    child.stdin!.write("1\n")
    expect(await exit).toBe(0)
    expect(remarks.at(-1)).toBe("ended")
  })

  it("discards an unterminated last line", async () => {
    const { child, exit } = start("echo")
    child.stdin!.end('1\n{"cut":')
    const chunks = await child.stdout!.toArray()
    expect(Buffer.concat(chunks).toString()).toBe("1\n")
    expect(await exit).toBe(0)
  })

  it("reads a file and writes a file", async () => {
    const input = path.join(folder, "in")
    const output = path.join(folder, "out")
    const text = '{"a":1}\n'.repeat(1000)
    fs.writeFileSync(input, text)
    const { exit } = start("echo", fs.openSync(input, "r"), fs.openSync(output, "w"))
    expect(await exit).toBe(0)
    expect(fs.readFileSync(output, "utf8")).toBe(text)
  })

  it("ends at once on /dev/null", async () => {
    const fd = fs.openSync("/dev/null", "r+")
    expect(await start("echo", fd, fd).exit).toBe(0)
  })
})
