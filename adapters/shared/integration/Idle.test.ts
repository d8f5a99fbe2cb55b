/** Programs that forget to close their client: they end by themselves when nothing is left to wait for. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { buildSync } from "esbuild"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { command, name } from "../../testing/Runtime.ts"
import type { Target } from "../Program.ts"

const [program, ...main] = command
const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const source = pathOf("../../testing/IdleProgram.ts")
const bundle = pathOf(`../../../node_modules/.cache/IdleProgram-${process.pid}.mjs`)
const folder = mkdtempSync(join(tmpdir(), "procwire-idle-"))
const socket = `unix:${folder}/socket`

const origin = http.createServer((_, response) => void response.end("hello"))
const server = spawn(program, [...main, "serve", "--listen", socket, "--listen", "ws://127.0.0.1:0"], {
  stdio: ["ignore", "pipe", "inherit"],
})

const targets: Record<string, Target> = {
  "in this process": { inProcess: true },
  "a command": { command: program, args: [...main, "serve", "--listen", "stdio"] },
  "a unix socket": { url: socket },
}

beforeAll(async () => {
  let printed = ""
  while (printed.split("\n").length < 3) printed += String(await once(server.stdout, "data"))
  targets["a WebSocket"] = { url: printed.split("\n")[1] ?? "" }
  await new Promise<void>((done) => origin.listen(0, "127.0.0.1", done))
  mkdirSync(pathOf("../../../node_modules/.cache"), { recursive: true })
  // Node cannot run the source, and starts sooner with all packages in one file.
  if (name !== "Node") return
  buildSync({
    entryPoints: [source],
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["@homebridge/node-pty-prebuilt-multiarch", "bufferutil", "utf-8-validate"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url)',
    },
    outfile: bundle,
    logLevel: "silent",
  })
})

afterAll(() => {
  server.kill()
  origin.close()
  rmSync(folder, { recursive: true })
  rmSync(bundle, { force: true })
})

const runtime = { Node: [bundle], Bun: [source], Deno: ["run", "--quiet", "--allow-all", source] }[name]

/** The output of the program, and its exit code; null if it was killed because it did not end, however slow it is. */
const play = async (target: string, way: string) => {
  const url = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/`
  const args = [...runtime, JSON.stringify(targets[target]), way, url]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], timeout: 120_000 })
  const exit = once(child, "exit")
  const lines = (await text(child.stdout)).trim().split("\n")
  return { lines, code: (await exit)[0] as number | null }
}

const alive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.each(["in this process", "a command", "a unix socket", "a WebSocket"])(
  "a client of %s",
  (target) => {
    it("lets its program end when it is idle, and a server of its own ends too", async () => {
      const { lines, code } = await play(target, "idle")
      expect({ lines, code }).toEqual({ lines: [expect.stringMatching(/^server \d+$/), "end"], code: 0 })
      const pid = Number(lines[0]?.slice("server ".length))
      if (pid === server.pid) expect(alive(pid)).toBe(true)
      else await vi.waitFor(() => expect(alive(pid)).toBe(false), 60_000)
    })

    it("keeps its program alive while an exit is awaited, a process is followed, or a call is pending", async () => {
      expect(await play(target, "awaited")).toEqual({ lines: ["exit 3", "end"], code: 0 })
      expect(await play(target, "followed")).toEqual({ lines: ["end", "read 4"], code: 0 })
      expect(await play(target, "called")).toEqual({ lines: ["exited true", "end"], code: 0 })
    })
  },
)
