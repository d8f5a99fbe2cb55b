/** client/: what `close` leaves on a server, and that `end: true` leaves no process, over every transport. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it, vi } from "vitest"
import { command, platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"
import { isAlive } from "../testing/Proc.ts"

const { connect, serve } = Program.make(platform)
const [program, ...main] = command
const folder = mkdtempSync(join(tmpdir(), "procwire-closing-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Connected = Awaited<ReturnType<typeof connect>>

/** Starts a process that forks another, and tells the pids of both. */
const start = async (client: Connected) => {
  const child = await client.start({ argv: ["sh", "-c", "sleep 300 & echo $$ $!; wait"] })
  for await (const line of child.lines()) return line.split(" ").map(Number)
  throw new Error("nothing was printed")
}

const gone = (pids: ReadonlyArray<number>) =>
  vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 20_000 })

describe("close({ end: true })", () => {
  it.each(["ws://127.0.0.1:0", `unix:${join(folder, "s")}`, "tcp://127.0.0.1:0"])(
    "ends every process of the session, which a plain close leaves: %s",
    async (listen) => {
      const server = await serve({ listen, listSessions: "all" })
      const url = server.addresses[0] ?? ""
      const left = await connect({ url })
      const { sessionId } = left
      const pids = await start(left)
      await left.close()
      expect(pids.every(isAlive)).toBe(true)
      const client = await connect({ url }, { resumeSessionId: sessionId })
      const more = await start(client)
      const observer = await connect({ url })
      await client.close({ end: true })
      await gone([...pids, ...more])
      const sessions = []
      for await (const each of observer.listSessions({ sessions: "all" })) sessions.push(each)
      expect(sessions).toMatchObject([{ own: true, processes: 0 }])
      await expect(connect({ url }, { resumeSessionId: client.sessionId })).rejects.toThrow(
        "unknown session id",
      )
      await observer.close({ end: true })
      await server.close()
    },
  )

  it.each([
    ["a command", { command: program, args: [...main, "serve", "--listen", "stdio"] }],
    ["this program", { inProcess: true as const }],
  ])("does so for a server that is %s", async (_, target) => {
    const client = await connect(target)
    const pids = await start(client)
    await client.close({ end: true })
    await gone(pids)
    await client.close({ end: true })
  })
})
