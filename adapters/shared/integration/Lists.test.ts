/** Lists of a real server: real processes, and sessions of which one has lost its client. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"

const [program, ...main] = command
const args = ["serve", "--listen", "tcp://127.0.0.1:0", "--list-sessions", "all"]
const server = spawn(program, [...main, ...args], { stdio: ["ignore", "pipe", "inherit"] })
let url = ""
let client: Client

beforeAll(async () => {
  url = String(await once(server.stdout, "data")).trim()
  client = await connect({ url })
}, 60_000)
afterAll(async () => {
  await client.close()
  server.kill("SIGKILL")
})

const collect = async <A>(rows: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const row of rows) found.push(row)
  return found
}

it("tell of a real process what it is, and its size now", async () => {
  const argv = ["/bin/sh", "-c", "stty size; read -r line; stty size; exit 4"]
  const size = { rows: 12, columns: 34 }
  const names = { name: "shell", labels: { purpose: "test" } }
  const process = await client.start({ argv, cwd: "/tmp", tty: true, terminalSize: size, ...names })
  await process.wait({ until: [{ pattern: "12 34" }] })
  await process.resize({ rows: 21, columns: 43 })
  const [row] = await collect(client.list({ name: "shell" }))
  expect(row).toMatchObject({ processId: process.id, argv, cwd: "file:///tmp", tty: true, ...names })
  expect(row).toMatchObject({ state: "running", terminalSize: { rows: 21, columns: 43 }, attached: true })
  expect(row?.pid).toBeGreaterThan(0)
  await process.write("x\n")
  await process.closed
  const [ended] = await collect(client.list({ labels: { purpose: "test" }, states: ["closed"] }))
  expect(ended).toMatchObject({ state: "closed", exitCode: 4 })
  expect(ended?.bytes).toBeGreaterThan(10)
})

it("show the processes of a session that has lost its client, but not its id", async () => {
  const other = await connect({ url })
  await other.start({ argv: ["sleep", "600"], name: "orphan" })
  const rows = () => collect(client.list({ sessions: "all", name: "orphan" }))
  expect(await rows()).toMatchObject([{ argv: ["sleep", "600"], attached: true, state: "running" }])
  await other.close()
  // The server hears of the end a moment later.
  while ((await rows())[0]?.attached !== false);
  const sessions = await collect(client.listSessions({ sessions: "all" }))
  expect(sessions).toMatchObject([
    { session: 1, own: true, attached: true },
    { session: 2, own: false, attached: false, processes: 1 },
  ])
  expect(JSON.stringify([sessions, await rows()])).not.toContain(other.sessionId)
})

it("are said by ps to hide the processes of others, where the scope of the client does", async () => {
  const { call } = Program.make()
  const closed = spawn(program, [...main, "serve", "--listen", "tcp://127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  try {
    const address = String(await once(closed.stdout, "data")).trim()
    const other = await connect({ url: address })
    await other.start({ argv: ["sleep", "600"], name: "hidden" })
    const hides =
      "procwire: the server hides the processes of other clients: a token with the scope observe shows them, or " +
      "a server with --scope observe\n"
    expect(await call("ps", "-q", "--server", address)).toEqual({ code: 0, stdout: "", stderr: hides })
    expect(await call("ps", "-q", "--server", url)).toMatchObject({ code: 0, stderr: "" })
    await other.close()
  } finally {
    closed.kill("SIGKILL")
  }
}, 120_000)
