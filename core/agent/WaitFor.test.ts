import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as WaitFor from "./WaitFor.ts"

const server = { processWait: true, processWaitPort: true, processWaitInput: true }

const plan = (waitFor: WaitFor.WaitFor, of: Partial<typeof server> = server) => WaitFor.plan(waitFor, of)
const planned = (...args: Parameters<typeof plan>) => Result.getOrThrow(plan(...args))

describe("WaitFor", () => {
  it("becomes the conditions of process/wait, quiet behind all others, and input with them", () => {
    const all = { quiet_ms: 500, exit: true, port: 80, text: "a.b", pattern: "a.b" }
    expect(planned(all)).toEqual({
      kinds: ["exit", "text", "pattern", "port", "input", "quiet"],
      until: [
        { exit: true },
        { pattern: "a.b", flags: "l" },
        { pattern: "a.b", flags: "m" },
        { port: 80 },
        { input: true },
        { idleMs: 500 },
      ],
      tellsInput: true,
    })
    expect(planned({ exit: true, input: false }).kinds).toEqual(["exit"])
    expect(planned({ input: true }).kinds).toEqual(["input"])
    expect(planned({ exit: true }, { processWait: true }).kinds).toEqual(["exit"])
  })

  it.each([
    [{}, server, "names nothing"],
    [{ exit: false, input: false }, server, "names nothing"],
    [{ port: 0 }, server, "from 1 to 65535"],
    [{ port: 70_000 }, server, "from 1 to 65535"],
    [{ text: "" }, server, "wait_for.text: "],
    [{ pattern: "a(" }, server, "wait_for.pattern: "],
    [{ text: "x" }, {}, "lacks the capability processWait)"],
    [{ port: 80 }, { processWait: true }, "lacks the capability processWaitPort)"],
    [{ input: true }, { processWait: true }, "lacks the capability processWaitInput)"],
  ] as const)("refuses %j of a server with %j", (waitFor, of, words) => {
    expect(plan(waitFor, of)).toMatchObject({ failure: expect.stringContaining(words) })
  })

  it("tells how a wait has ended", () => {
    const ended = (met: number | null, evidence: object | null, more: object = {}) => {
      const state = {
        nextSeq: 1,
        exited: false,
        exitCode: null,
        closed: false,
        head: [],
        tail: [],
        omittedBytes: 0,
      }
      return WaitFor.toEnd(planned({ port: 80, text: "x" }), { ...state, met, evidence, ...more }, 900)
    }
    const place = { seq: 1, offset: 0 }
    expect(ended(0, { match: { stream: "pty", from: place, to: place, text: "y".repeat(300) } })).toEqual({
      by: "text",
      detail: `found "${"y".repeat(200)}…"`,
    })
    expect(ended(1, { port: { port: 80, host: "::", pid: 5 } })).toEqual({
      by: "port",
      detail: "port 80 is open at ::, process 5",
    })
    expect(ended(2, { input: { pid: 5, from: "terminal", secret: true } })).toMatchObject({
      by: "input",
      asks: "password",
    })
    expect(ended(2, { input: { pid: 5, from: "stdin" } })).toMatchObject({ by: "input", asks: "input" })
    expect(ended(null, null)).toEqual({ by: "timeout", detail: "nothing that was waited for came in 900 ms" })
    expect(ended(null, null, { unknown: [{ index: 1, why: "not permitted" }] }).detail).toBe(
      "nothing that was waited for came in 900 ms; of port nothing is known: not permitted",
    )
    expect(ended(null, null, { closed: true })).toEqual({ by: "ended", detail: "the command ended first" })
  })

  it("knows a wait that needs no server", () => {
    expect(WaitFor.isForExitAlone({ exit: true })).toBe(true)
    expect(WaitFor.isForExitAlone({ exit: true, input: false })).toBe(true)
    expect(WaitFor.isForExitAlone({ exit: true, input: true })).toBe(false)
    expect(WaitFor.isForExitAlone({ exit: true, quiet_ms: 5 })).toBe(false)
    expect(WaitFor.isForExitAlone({})).toBe(false)
  })
})
