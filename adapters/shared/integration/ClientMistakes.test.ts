/**
 * Errors of a client for values that only JavaScript can pass, for a write after the exit, for an unknown process, and
 * after its server was restarted.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runInNewContext } from "node:vm"
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

/** A client and its process as programs in JavaScript see them. */
type Call = (...values: ReadonlyArray<unknown>) => Promise<unknown>
type Loop = (...values: ReadonlyArray<unknown>) => AsyncIterable<unknown>
interface Loose extends Record<"start" | "run" | "attach" | "call", Call> {
  readonly fs: Record<"stat" | "readDirectory" | "watchMissing" | "writeFile" | "write", Call>
  readonly http: Record<"request", Call>
}
type LooseProcess = Record<"write", Call> & Record<"lines" | "text" | "output", Loop>

describe("a value that no compiler has looked at", () => {
  const content = "a string or a Uint8Array"
  const argv = 'argv must be an array of at least one string, as in { argv: ["ls", "-l"] }, not'
  const streams = "the streams of a process are stdout, stderr and pty, and none is"
  const drain = async (pieces: AsyncIterable<unknown>) => {
    for await (const _ of pieces);
  }

  it.each<[string, string, (client: Loose, child: LooseProcess) => Promise<unknown>]>([
    ["start()", `${argv} undefined`, (client) => client.start()],
    ["run()", `${argv} undefined`, (client) => client.run()],
    ["a command line as argv", `${argv} "ls -l"`, (client) => client.start({ argv: "ls -l" })],
    [
      "a list as env",
      'env must be an object of strings, as in { env: { LANG: "C" } }, not ["A=1"]',
      (client) => client.start({ argv: ["true"], env: ["A=1"] }),
    ],
    [
      "a map as env",
      'env must be an object of strings, as in { env: { LANG: "C" } }, not {}',
      (client) => client.start({ argv: ["true"], env: new Map([["A", "1"]]) }),
    ],
    [
      "a map as labels",
      'labels must be an object of strings, as in { labels: { app: "web" } }, not {}',
      (client) => client.start({ argv: ["true"], labels: new Map([["A", "1"]]) }),
    ],
    [
      "a map as the environment of a command",
      'env must be an object of strings, as in { env: { LANG: "C" } }, not {}',
      () => connect({ command: "true", env: new Map([["A", "1"]]) as never }),
    ],
    [
      "a number as headers of a connection",
      "headers must be an object",
      () => connect({ url: "ws://127.0.0.1:1", headers: 5 as never }),
    ],
    [
      "a number as cwd",
      "cannot start true: invalid type: number, expected a string (field `cwd`)",
      (client) => client.start({ argv: ["true"], cwd: 5 }),
    ],
    ["a number as a path", "invalid type: number, expected a string (field `path`)", ({ fs }) => fs.stat(5)],
    ["no path", "missing field `path`", ({ fs }) => fs.readDirectory()],
    [
      "one path for many",
      'invalid type: string "/a", expected a sequence (field `missing`)',
      ({ fs }) => fs.watchMissing("/a"),
    ],
    ["a file's content", `fs.writeFile takes ${content}, not 5`, ({ fs }) => fs.writeFile("/nowhere", 5)],
    [
      "a file's pieces",
      "fs.write takes an iterable of strings and Uint8Arrays, not 5",
      ({ fs }) => fs.write(join(folder, "pieces"), 5),
    ],
    ["one of them", `fs.write takes ${content}, not null`, ({ fs }) => fs.write(join(folder, "x"), [null])],
    [
      "an object as body",
      `body takes ${content}, not {"a":1}`,
      ({ http }) => http.request({ url: "http://127.0.0.1:1", body: { a: 1 } }),
    ],
    ["request()", "http.request takes an object of options, not null", ({ http }) => http.request()],
    ["attach()", "the target of attach takes an object of options, not null", (client) => client.attach()],
    [
      "options as a seq",
      'attach takes the last seq that is known, a whole number, in front of options, not {"role":"viewer"}',
      (client) => client.attach({ processId: "p" }, { role: "viewer" }),
    ],
    [
      "a method of no server",
      "call knows no method \"process/starts\"; did you mean 'process/start'?",
      (client) => client.call("process/starts", {}),
    ],
    ["call()", "call knows no method undefined", (client) => client.call()],
    ["a number for stdin", `write takes ${content}, not 5`, (_, child) => child.write(5)],
    ["nothing for stdin", `write takes ${content}, not undefined`, (_, child) => child.write()],
    ["a number of any length", `write takes ${content}, not 5`, (_, child) => child.write(5n)],
    ["a stream of lines", `${streams} "stdin"`, (_, child) => drain(child.lines("stdin"))],
    ["a stream of text", `${streams} 1`, (_, child) => drain(child.text(1))],
    ["a stream of bytes", `${streams} "err"`, async (_, child) => drain(child.output("err"))],
  ])("is refused with its name: %s", async (_, message, call) => {
    const child = await client.start({ argv: ["cat"], pipeStdin: true })
    try {
      await expect(call(client as Loose, child as LooseProcess)).rejects.toMatchObject({
        name: "ClientError",
        message: expect.stringContaining(message) as string,
      })
    } finally {
      await child.terminate()
    }
  })

  it.each([2, 300_000])("may be %i bytes of another realm", async (length) => {
    const bytes = runInNewContext(`new Uint8Array(${length}).fill(104)`) as Uint8Array
    expect(bytes).not.toBeInstanceOf(Uint8Array)
    const child = await client.start({ argv: ["cat"], pipeStdin: true })
    await child.write(bytes)
    await child.closeStdin()
    const texts: Array<string> = []
    for await (const text of child.text()) texts.push(text)
    expect(texts.join("")).toBe("h".repeat(length))
  })
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
