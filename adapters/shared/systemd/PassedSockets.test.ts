import process from "node:process"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Environment from "./Environment.ts"
import * as PassedSockets from "./PassedSockets.ts"

const noLibc = () => {
  throw new Error("no libc")
}

const refusal = (env: Record<string, string>) =>
  Effect.runSync(Effect.flip(PassedSockets.read(Environment.take({ ...env }), noLibc)))

describe("sockets of systemd", () => {
  it("are refused with the reason", () => {
    expect(refusal({})).toMatchObject({
      reason: "None",
      message:
        "no sockets from systemd: LISTEN_FDS is not set; " +
        "start the server by a .socket unit or by systemd-socket-activate",
    })
    expect(refusal({ LISTEN_FDS: "x" }).message).toContain("LISTEN_FDS is 'x'")
    const other = { LISTEN_FDS: "1", LISTEN_PID: "1" }
    expect(refusal(other)).toMatchObject({ reason: "OtherProcess" })
    expect(refusal(other).message).toContain(`LISTEN_PID is '1' and this process is ${process.pid}`)
    expect(refusal({ LISTEN_FDS: "1", LISTEN_PID: String(process.pid) })).toMatchObject({ reason: "NoLibc" })
  })

  it("leave no variable behind", () => {
    const env = {
      NOTIFY_SOCKET: "/n",
      LISTEN_FDS: "1",
      LISTEN_PID: "2",
      LISTEN_FDNAMES: "a",
      WATCHDOG_USEC: "3",
      WATCHDOG_PID: "4",
      HOME: "/",
    }
    expect(Environment.take(env)).toEqual({
      notifySocket: "/n",
      listenFds: "1",
      listenPid: "2",
      listenNames: "a",
    })
    expect(env).toEqual({ HOME: "/" })
  })
})
