/** `signal` and `timeout` of the calls of a client, over a real server in this program. */
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { defaults } from "../../../core/protocol/Limits.ts"
import { connect } from "../../testing/Client.ts"

let client: Client
beforeAll(async () => void (client = await connect({ inProcess: true })))
afterAll(() => client.close())

/** Waits for the end of a process, which a signal has killed. */
const killed = async (processId: string) => {
  const read = () => client.call("process/read", { processId, afterSeq: 2 ** 40, waitMs: 60_000 })
  expect(await read()).toMatchObject({ exited: true, exitCode: 137 })
}

const sleep = (processId: string) => ({ argv: ["sleep", "1000"], processId })

describe("a call that is given up", () => {
  it("rejects with the reason of its signal, whatever it waits for", async () => {
    const process = await client.start({ argv: ["sleep", "1000"], pipeStdin: true })
    const controller = new AbortController()
    const how = { signal: controller.signal }
    const waiting = [
      process.read({ waitMs: 600_000 }, how),
      client.call("process/read", { processId: process.id, waitMs: 600_000 }, how),
      process.write(new Uint8Array(20_000_000), how),
    ].map((call) => call.catch((error: unknown) => error))
    const reason = new Error("the user has left")
    controller.abort(reason)
    expect(await Promise.all(waiting)).toEqual([reason, reason, reason])
    expect(await client.fs.stat("/", {}, how).catch((error: unknown) => error)).toBe(reason)
    expect(await process.terminate()).toBe(true)
  })

  it("rejects with Timeout after its time, and not before its answer", async () => {
    const process = await client.start({ argv: ["sleep", "1000"] })
    const late = { reason: "Timeout", message: "given up after 20ms" }
    await expect(process.read({ waitMs: 600_000 }, { timeout: 20 })).rejects.toMatchObject(late)
    await expect(process.read({ waitMs: 600_000 }, { timeout: "20 millis" })).rejects.toMatchObject(late)
    expect(await process.terminate({ timeout: "1 hour", signal: new AbortController().signal })).toBe(true)
  })

  it("terminates a process whose start came too late", async () => {
    const controller = new AbortController()
    const starting = client.start(sleep("late"), { signal: controller.signal })
    controller.abort("too late")
    await expect(starting).rejects.toBe("too late")
    await killed("late")
  })

  it("terminates what it runs", async () => {
    const controller = new AbortController()
    const running = client.run(sleep("run"), { signal: controller.signal })
    const begun = async () => {
      const read = client.call("process/read", { processId: "run" })
      return read.then(
        () => true,
        () => false,
      )
    }
    while (!(await begun()));
    controller.abort("enough")
    await expect(running).rejects.toBe("enough")
    await killed("run")
  })

  it("closes a file whose opening came too late", async () => {
    const path = fileURLToPath(import.meta.url)
    // A connection may have 128 open files.
    for (let round = 0; round < 300; round++) {
      const controller = new AbortController()
      const opening = client.fs.open(path, "read", { signal: controller.signal })
      await Promise.resolve()
      if (round % 2 === 0) await client.fs.stat("/")
      controller.abort("too late")
      await opening.then(
        (file) => file.close(),
        (error: unknown) => expect(error).toBe("too late"),
      )
    }
    const file = await client.fs.open(path)
    expect((await file.read(0, 2)).chunk.length).toBe(2)
    await file.close({ timeout: "1 hour" })
  })

  it("ends a long poll on the server, which has one slot", async () => {
    const narrow = await connect({
      inProcess: true,
      server: { limits: { ...defaults, concurrentRequests: 1 } },
    })
    const process = await narrow.start({ argv: ["sleep", "1000"] })
    for (let round = 0; round < 20; round++) {
      const poll = process.read({ waitMs: 600_000 }, { timeout: 1 })
      await expect(poll).rejects.toMatchObject({ reason: "Timeout" })
      expect(await process.read()).toMatchObject({ exited: false })
    }
    await narrow.close()
  })

  it("refuses options that do not exist, and times that are none", async () => {
    const wrong = (how: object) => client.call("environment/status", {}, how)
    await expect(wrong({ timeOut: 5 })).rejects.toMatchObject({
      reason: "InvalidOption",
      message: "a call has no option 'timeOut': did you mean 'timeout'?",
    })
    await expect(wrong({ timeout: "soon" })).rejects.toMatchObject({ reason: "InvalidOption" })
  })
})
