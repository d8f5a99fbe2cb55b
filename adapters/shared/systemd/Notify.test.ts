import { execFileSync } from "node:child_process"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import { platform } from "../../testing/Runtime.ts"
import * as Datagrams from "../testing/Datagrams.ts"
import * as Folder from "../testing/Folder.ts"
import * as Notify from "./Notify.ts"

/** Sends, and returns what was logged. */
const send = async (notify: Notify.Notify, state: Parameters<Notify.Notify>[0]) => {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => void logged.push(String(message)))
  await Effect.runPromise(Effect.provide(notify(state), Logger.layer([logger])))
  return logged
}

const noLibc = () => {
  throw new Error("no libc")
}

const hasProgram = (() => {
  try {
    return execFileSync("systemd-notify", ["--version"], { stdio: "ignore" }) === null
  } catch {
    return false
  }
})()

describe.runIf(process.platform === "linux")("notifications for systemd", () => {
  it("arrive as datagrams of assignments, one for each call", async () => {
    const path = Folder.make().at("notify")
    const socket = Datagrams.bind(platform.openFfi, path)
    const notify = Notify.make(path, platform.openFfi)
    expect(await send(notify, { READY: 1, STATUS: "two\nlines" })).toEqual([])
    expect(await send(notify, { STOPPING: 1 })).toEqual([])
    expect(await socket.next()).toBe("READY=1\nSTATUS=two lines")
    expect(await socket.next()).toBe("STOPPING=1")
  })

  it("arrive at abstract sockets", async () => {
    const name = `@procwire-test-${process.pid}`
    const socket = Datagrams.bind(platform.openFfi, name)
    expect(await send(Notify.make(name, platform.openFfi), { READY: 1 })).toEqual([])
    expect(await socket.next()).toBe("READY=1")
  })

  it("are one warning each where nobody receives them", async () => {
    const path = Folder.make().at("nobody")
    const notify = Notify.make(path, platform.openFfi)
    const text = `cannot notify systemd at NOTIFY_SOCKET ${path}: No such file or directory (os error 2)`
    expect(await send(notify, { READY: 1 })).toEqual([text])
    const [wrong = ""] = await send(Notify.make(path, noLibc), { READY: 1 })
    expect(wrong).toContain(`cannot notify systemd at NOTIFY_SOCKET ${path}: `)
  })

  it("are not sent where no socket is named", async () => {
    expect(await send(Notify.make(undefined, noLibc), { READY: 1 })).toEqual([])
    expect(await send(Notify.make("", noLibc), { READY: 1 })).toEqual([])
  })

  it.skipIf(!hasProgram)("are sent by systemd-notify where libc cannot be called", async () => {
    const path = Folder.make().at("program")
    const socket = Datagrams.bind(platform.openFfi, path)
    const sent = send(Notify.make(path, noLibc), { READY: 1, STATUS: "a text" })
    const first = await socket.next()
    expect(first.split("\n")).toEqual(expect.arrayContaining(["READY=1", "STATUS=a text"]))
    await socket.next() // the program waits until this one is taken
    expect(await sent).toEqual([])
  })
})
