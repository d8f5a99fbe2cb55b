import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as WaitCommand from "../WaitCommand.ts"
import * as Keys from "./Keys.ts"
import * as Recording from "../Recording.ts"
import { makeReplay } from "../AttachCommand.ts"

describe("keys by name", () => {
  it("are what a terminal sends", () => {
    expect(Keys.read("make test{Enter}")).toBe("make test\r")
    expect(Keys.read("{C-c}{ctrl-D}{Up}{F5}{M-x}{Alt-Left}{C-[}{esc}")).toBe(
      "\u0003\u0004\u001b[A\u001b[15~\u001bx\u001b\u001b[D\u001b\u001b",
    )
    expect(Keys.read("awk '{{} print {}}'{PageDown}")).toBe("awk '{ print }'\u001b[6~")
    expect(Keys.read("")).toBe("")
  })

  it("are refused with what was meant", () => {
    expect(Keys.read("x{Entr}")).toEqual({ wrong: "there is no key '{Entr}'; did you mean 'enter'?" })
    expect(Keys.read("{C-ü}")).toEqual({ wrong: "there is no key '{C-ü}'" })
    for (const text of ["{", "a{Enter", "{}"]) expect(Keys.read(text)).toHaveProperty("wrong")
  })
})

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (of: Uint8Array) => new TextDecoder().decode(of)

describe("detach keys", () => {
  const type = (keys: string, ...pieces: ReadonlyArray<string>) => {
    const search = Keys.searchFor(Keys.parseDetachKeys(keys) ?? new Uint8Array())
    return pieces.map((piece) => {
      const { found, send } = search.take(bytes(piece))
      return `${text(send)}${found ? "!" : ""}`
    })
  }

  it("are found in one piece and over several, and nothing of them is sent", () => {
    expect(type("ctrl-p,ctrl-q", "ab\u0010\u0011cd")).toEqual(["ab!"])
    expect(type("ctrl-p,ctrl-q", "a\u0010", "\u0011")).toEqual(["a", "!"])
  })

  it("are sent when another key follows", () => {
    expect(type("ctrl-p,ctrl-q", "\u0010", "\u0010", "x")).toEqual(["", "\u0010", "\u0010x"])
    expect(type("a,a,b", "aaab")).toEqual(["a!"])
    expect(type("a,b,a,c", "ababac")).toEqual(["ab!"])
  })

  it("may be none, or unknown", () => {
    expect(type("", "\u0010\u0011")).toEqual(["\u0010\u0011"])
    expect(Keys.parseDetachKeys("ctrl-nothing")).toBeUndefined()
  })
})

describe("conditions of a wait", () => {
  const read = (condition: string) => Effect.runSync(WaitCommand.readCondition(condition))
  const refusal = (condition: string) =>
    Effect.runSync(Effect.flip(WaitCommand.readCondition(condition))).message

  it("are those of process/wait", () => {
    expect(["exit", "closed", "input"].map(read)).toEqual([{ exit: true }, { closed: true }, { input: true }])
    expect(read("text:a:b (c")).toEqual({ pattern: "a:b (c", flags: "l" })
    expect(read("match:^up$")).toEqual({ pattern: "^up$" })
    expect(["port:3000", "port:[::1]:80"].map(read)).toEqual([{ port: 3000 }, { port: 80, host: "::1" }])
    expect(["idle:5s", "bytes:7"].map(read)).toEqual([{ idleMs: 5000 }, { bytes: 7 }])
  })

  it("are refused with what was meant", () => {
    expect(refusal("prot:80")).toContain("did you mean 'port'?")
    expect(refusal("READY")).toContain("expected exit, closed, input, text:READY")
    expect(refusal("text:")).toContain("text: needs a value, as in text:READY")
    for (const condition of ["port:0", "port:70000", "port:x", "idle:5d", "exit:1", "bytes:0"])
      expect(refusal(condition), condition).toContain("invalid value")
  })
})

describe("a replay", () => {
  const questions = [
    "\u001b[c",
    "\u001b[>c",
    "\u001b[>0;1c",
    "\u001b[6n",
    "\u001b[?6n",
    "\u001b[?2004$p",
    "\u001b[>0q",
    "\u001b[18t",
    "\u001b[?u",
    "\u001b[?4m",
    "\u001b]10;?\u0007",
    "\u001b]11;?\u001b\\",
    "\u001bP$qm\u001b\\",
    "\u001bP+q544e\u001b\\",
    "\u001bZ",
  ]
  const shown = [
    "\u001b[31mred\u001b[m",
    "\u001b[?1049h",
    "\u001b]0;a title?\u0007",
    "\u001b[2;3r",
    "\u001b(B",
    "\u001b7\u001b8",
    "\u001b[22;0;0t",
    "\u001b[3 q",
    "ü\r\n",
  ]

  it("asks the terminal nothing, however it is cut", () => {
    const all = bytes(
      shown
        .flatMap((part, at) => [part, questions[at] ?? ""])
        .concat(questions)
        .join(""),
    )
    for (let size = 1; size < 20; size++) {
      const replay = makeReplay()
      let seen = ""
      const parts: Array<number> = []
      for (let at = 0; at < all.length; at += size) parts.push(...replay.take(all.subarray(at, at + size)))
      seen = text(Uint8Array.from([...parts, ...replay.rest()]))
      expect(seen).toBe(shown.join(""))
    }
  })

  it("keeps nothing back but the begin of a sequence", () => {
    const replay = makeReplay()
    expect(text(replay.take(bytes("a\u001b[3")))).toBe("a")
    expect(text(replay.take(bytes("1mb")))).toBe("\u001b[31mb")
    expect(text(replay.take(bytes("\u001b[\u001b[c")))).toBe("\u001b[")
    replay.take(bytes("\u001b["))
    expect(text(replay.rest())).toBe("\u001b[")
    expect(replay.rest()).toEqual(new Uint8Array())
  })
})

describe("a recording that is played", () => {
  const output = (at: number, text: string) => ({ kind: "output", at, text }) as const
  const events = [
    output(0, "a"),
    { kind: "resize", at: 4000, columns: 80, rows: 24 } as const,
    output(5000, "b"),
    output(5500, "c"),
  ]

  it("has the times of its events, and silence of at most so long", () => {
    const at = (speed: number, idleMillis: number) =>
      Recording.steps(events, { speed, idleMillis }).map((step) => step.at)
    expect(at(1, Infinity)).toEqual([0, 5000, 5500])
    expect(at(2, Infinity)).toEqual([0, 2500, 2750])
    expect(at(1, 1000)).toEqual([0, 2000, 2500])
    expect(at(0.5, 1000)).toEqual([0, 4000, 5000])
    expect(at(1, 0)).toEqual([0, 0, 0])
  })
})
