/** The pid of a process that a client has started, over a real server in this program. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client, ClientProcess } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(() => client.close())

const text = async (process: ClientProcess) => {
  let all = ""
  for await (const piece of process.text()) all += piece
  return all.trim()
}

describe("the pid of a process", () => {
  it("is that of its first child, with pipes and in a terminal", async () => {
    for (const tty of [false, true]) {
      await using child = await client.start({ argv: ["sh", "-c", "echo $$"], tty })
      expect(child.pid).toBeGreaterThan(0)
      expect(await text(child)).toBe(String(child.pid))
    }
  })

  it("is told of a process that is attached to as a target, and not by an id", async () => {
    await using child = await client.start({ argv: ["sleep", "1000"], name: "pid" })
    await using viewer = await client.attach({ name: "pid" })
    expect(viewer.pid).toBe(child.pid)
  })
})
