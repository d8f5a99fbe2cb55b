/** What a client says to a write after the exit, to an unknown process, and after its server was restarted. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import type { Status } from "../../../core/client/Reconnect.ts"
import { command, platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"

const { connect } = Program.make(platform)
const [program, ...main] = command

const folder = mkdtempSync(join(tmpdir(), "procwire-mistakes-"))
const servers: Array<ChildProcess> = []
const serve = async (path: string) => {
  const args = [...main, "serve", "--listen", `unix:${path}`]
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] })
  servers.push(server)
  await once(server.stdout, "data")
  return server
}

const kill = async (server: ChildProcess) => {
  const gone = once(server, "exit")
  server.kill("SIGKILL")
  await gone
}

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(async () => {
  await client.close()
  for (const server of servers) server.kill("SIGKILL")
  rmSync(folder, { recursive: true })
})

describe("write", () => {
  it("rejects after the exit, on a pipe and on a terminal", async () => {
    for (const options of [{ pipeStdin: true }, { tty: true }]) {
      const child = await client.start({ argv: ["true"], ...options })
      await child.exitCode
      await expect(child.write("x")).rejects.toMatchObject({
        reason: "StdinClosed",
        message: `process ${child.id} has exited, and takes no input any more`,
      })
    }
  })

  it("names pipeStdin where there is no stdin", async () => {
    const child = await client.start({ argv: ["sleep", "100"] })
    await expect(child.write("x")).rejects.toMatchObject({
      reason: "StdinClosed",
      message: expect.stringContaining("started without `pipeStdin: true` (or `tty: true`)") as string,
    })
    await child.terminate()
  })
})

describe("attach", () => {
  it("says that there is no such process", async () => {
    await expect(client.attach("nope")).rejects.toMatchObject({
      reason: "UnknownProcess",
      message:
        "there is no process nope in this session: none was started with that id, or the server has forgotten it",
    })
  })
})

describe("a promise that nobody awaits", () => {
  it("is no unhandled rejection", async () => {
    const unhandled: Array<unknown> = []
    const listener = (reason: unknown) => void unhandled.push(reason)
    process.on("unhandledRejection", listener)
    try {
      const own = await connect({ inProcess: true })
      const child = await own.start({ argv: ["sleep", "100"] })
      const { exitCode, closed } = child
      await own.close()
      // Both have rejected by now, and still do for who awaits them.
      await new Promise((resolve) => setImmediate(resolve))
      expect(unhandled).toEqual([])
      await expect(exitCode).rejects.toMatchObject({ reason: "Disconnected" })
      await expect(closed).rejects.toMatchObject({ reason: "Disconnected" })
    } finally {
      process.off("unhandledRejection", listener)
    }
  })
})

describe("a client whose server was restarted", () => {
  it("begins a new session with the next call if it was told so, and says so", async () => {
    const path = join(folder, "restarted.sock")
    const first = await serve(path)
    const statuses: Array<Status> = []
    const remote = await connect(
      { url: `unix:${path}` },
      { onSessionLost: "new", onStatus: (status) => statuses.push(status) },
    )
    const before = remote.sessionId
    const old = await remote.start({ argv: ["sleep", "100"] })
    await kill(first)
    await serve(path)
    expect((await remote.run({ argv: ["echo", "again"] })).stdout).toBe("again\n")
    const after = remote.sessionId
    expect(after).not.toBe(before)
    await expect(old.exitCode).rejects.toMatchObject({
      reason: "SessionLost",
      message: expect.stringContaining(`unknown session id ${before}`) as string,
    })
    expect(statuses.map(({ kind }) => kind)).toEqual(["reconnecting", "sessionLost", "newSession"])
    expect(statuses[2]).toEqual({ kind: "newSession", sessionId: after })
    await remote.close()
  })

  it("ends otherwise, with the reason", async () => {
    const path = join(folder, "ended.sock")
    const first = await serve(path)
    const remote = await connect({ url: `unix:${path}` })
    await kill(first)
    await serve(path)
    const message = expect.stringContaining(`unknown session id ${remote.sessionId}`) as string
    await expect(remote.run({ argv: ["true"] })).rejects.toMatchObject({ reason: "Disconnected", message })
    expect(await remote.disconnected).toMatchObject({ message })
  })
})
