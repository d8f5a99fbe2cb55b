/** Shutdown.ts and ServeCommand.ts: how a server ends, with real servers, signals and children. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import * as Proc from "../testing/Proc.ts"

const [program, ...main] = command

let folder = ""
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "procwire-end-"))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const running: Array<ChildProcess> = []
afterEach(() => running.splice(0).forEach((server) => server.kill("SIGKILL")))

const launch = async (...flags: ReadonlyArray<string>) => {
  const server = spawn(program, [...main, "serve", ...flags], { stdio: ["pipe", "pipe", "inherit"] })
  running.push(server)
  const ended = Proc.ended(server)
  const [line] = await once(server.stdout, "data")
  const url = String(line).trim()
  const client = await connect({ url }, { reconnect: false })
  // Deno reports a child that it has signalled as dead of that signal, even if the child exited by itself.
  const signal = (name: NodeJS.Signals) => process.kill(server.pid ?? 0, name)
  return { server, url, client, ended, signal }
}

/** Starts a shell that prints its process id first, and waits for that line. */
const start = async (client: Client, script: string) => {
  const child = await client.start({ argv: ["/bin/sh", "-c", `echo $$; ${script}`] })
  let text = ""
  const read = (async () => {
    for await (const piece of child.text()) text += piece
  })()
  read.catch(() => {})
  const says = (part: string) => vi.waitFor(() => expect(text).toContain(part), { timeout: 60_000 })
  await says("\n")
  return { pid: Number.parseInt(text), says, exitCode: child.exitCode }
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const isGone = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 })

const flag = (name: string) => join(folder, name)
/** Prints `term` at SIGTERM, and exits once the file exists. */
const untilFile = (file: string) =>
  `trap 'echo term' TERM; while [ ! -e '${file}' ]; do sleep 0.05; done; echo bye; exit 3`
const stubborn = "trap 'echo term' TERM; while :; do sleep 0.05; done"

describe("procwire serve --grace-ms", () => {
  it.each(["ws://127.0.0.1:0", "tcp://127.0.0.1:0", "unix:PATH"])(
    "lets processes end by themselves, starts none, and takes no connections at %s",
    async (address) => {
      const listen = address.replace("PATH", flag("drain.sock"))
      const { url, client, ended, signal } = await launch("--listen", listen, "--grace-ms", "600000")
      const file = flag(`go-${address.slice(0, 3)}`)
      const child = await start(client, untilFile(file))
      const other = await start(client, "exec sleep 600")
      signal("SIGTERM")
      await child.says("term")
      expect(await other.exitCode).toBe(143)
      await expect(client.start({ argv: ["true"] })).rejects.toMatchObject({
        code: -32011,
        serverMessage: "the server is shutting down and starts no more processes",
      })
      await expect(connect({ url }, { reconnect: false })).rejects.toMatchObject({ reason: "Connect" })
      writeFileSync(file, "")
      await child.says("bye")
      expect(await child.exitCode).toBe(3)
      expect(await ended).toBe(0)
    },
  )

  it("kills the groups of those that are still there when the time is over", async () => {
    const { client, ended, signal } = await launch("--grace-ms", "3000")
    const child = await start(client, stubborn)
    signal("SIGTERM")
    await child.says("term")
    expect(await child.exitCode).toBe(137)
    expect(await ended).toBe(0)
    await isGone(child.pid)
  })

  it.each(["SIGINT", "SIGTERM"] as const)("does not wait after a second %s", async (name) => {
    const { client, ended, signal } = await launch("--grace-ms", "600000")
    const child = await start(client, stubborn)
    child.exitCode.catch(() => {})
    signal(name)
    await child.says("term")
    signal(name)
    expect(await ended).toBe(0)
    await isGone(child.pid)
  })

  it("drains after SIGHUP, too, and says so by its exit code", async () => {
    const { client, ended, signal } = await launch("--grace-ms", "600000")
    const child = await start(client, "trap 'exit 4' TERM; while :; do sleep 0.05; done")
    signal("SIGHUP")
    expect(await child.exitCode).toBe(4)
    expect(await ended).toBe(129)
  })
})

describe("procwire serve", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "kills everything at once after %s, without a grace",
    async (name) => {
      const { client, ended, signal } = await launch()
      const child = await start(client, stubborn)
      child.exitCode.catch(() => {})
      signal(name)
      expect(await ended).toBe(0)
      await isGone(child.pid)
    },
  )

  it.each(["ws://127.0.0.1:0", "tcp://127.0.0.1:0"])(
    "ends with its stdin where it is told to, at %s",
    async (address) => {
      const { server, client, ended } = await launch("--exit-on-stdin-close", "--listen", address)
      const child = await start(client, "exec sleep 600")
      child.exitCode.catch(() => {})
      server.stdin?.write("dropped\n")
      expect(await client.run({ argv: ["echo", "on"] })).toMatchObject({ stdout: "on\n" })
      server.stdin?.end()
      expect(await ended).toBe(0)
      await isGone(child.pid)
    },
  )

  it("gives processes their time when stdin closes, too", async () => {
    const { server, client, ended } = await launch("--exit-on-stdin-close", "--grace-ms", "600000")
    const child = await start(client, "trap 'exit 5' TERM; while :; do sleep 0.05; done")
    server.stdin?.end()
    expect(await child.exitCode).toBe(5)
    expect(await ended).toBe(0)
  })

  it("outlives its stdin otherwise", async () => {
    const { server, client } = await launch()
    server.stdin?.end()
    expect(await client.run({ argv: ["echo", "on"] })).toMatchObject({ stdout: "on\n" })
    await client.close()
  })
})
