import { describe, expect, it } from "vitest"
import type { Json } from "./Json.ts"
import { requests } from "./Methods.ts"
import { decode } from "./shape/index.ts"
import * as Signals from "./Signals.ts"

const signalOf = (signal: Json) => decode(requests["process/signal"].params, { processId: "p", signal })

describe("A signal on the wire", () => {
  it("is a word, a POSIX name with or without SIG, or a number", () => {
    const wanted: ReadonlyArray<readonly [Json, Signals.Signal]> = [
      ["interrupt", "interrupt"],
      ["SIGUSR1", "SIGUSR1"],
      ["USR1", "SIGUSR1"],
      ["KILL", "SIGKILL"],
      ["SIGRTMIN", "SIGRTMIN"],
      ["RTMIN+30", "SIGRTMIN+30"],
      ["SIGRTMAX-3", "SIGRTMAX-3"],
      [1, 1],
      [64, 64],
    ]
    for (const [given, signal] of wanted) expect(signalOf(given)).toMatchObject({ success: { signal } })
  })

  it("is nothing else, and a refusal has the words of the peer", () => {
    for (const name of ["kill", "Interrupt", "", "SIGFOO", "SIG", "usr1", "SIGRTMIN+31", "RTMAX-0", "9"]) {
      expect(signalOf(name)).toMatchObject({
        failure: `unknown variant \`${name}\`, expected \`interrupt\` (field \`signal\`)`,
      })
    }
    for (const value of [0, 65, -1, null, true]) expect(signalOf(value)).toHaveProperty("failure")
  })

  it("has its number from the host, where it has no name", () => {
    expect(Signals.toPosix("terminate", "linux")).toBe("SIGTERM")
    expect([10, 30].map((number) => Signals.toPosix(number, "linux"))).toEqual(["SIGUSR1", "SIGPWR"])
    expect([10, 30].map((number) => Signals.toPosix(number, "macos"))).toEqual(["SIGBUS", "SIGUSR1"])
    expect([32, 34, 35, 64].map((number) => Signals.toPosix(number, "linux"))).toEqual([
      "SIG32",
      "SIGRTMIN",
      "SIGRTMIN+1",
      "SIGRTMIN+30",
    ])
    expect(["SIG32", "SIGRTMIN", "SIGRTMIN+1", "SIGRTMAX", "SIGRTMAX-1"].map(Signals.numberIn)).toEqual([
      32, 34, 35, 64, 63,
    ])
    expect(Signals.numberIn("SIGTERM")).toBeUndefined()
  })
})
