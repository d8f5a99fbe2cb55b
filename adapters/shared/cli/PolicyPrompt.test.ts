import { describe, expect, it } from "vitest"
import * as PolicyPrompt from "./PolicyPrompt.ts"

const request = (host: string) => ({ processId: "p", protocol: "https_connect", host, port: 443 }) as const

/** A terminal whose person gives these answers, one for each question. */
const terminal = (...answers: ReadonlyArray<string | undefined>) => {
  const asked: Array<string> = []
  let open = 0
  return {
    asked,
    decide: PolicyPrompt.make({
      isTerminal: () => true,
      ask: async (text) => {
        asked.push(text)
        expect((open += 1)).toBe(1)
        await new Promise((done) => setImmediate(done))
        open -= 1
        return answers[asked.length - 1]
      },
      tell: (text) => void asked.push(text),
    }),
  }
}

describe("run --egress-ask", () => {
  it("asks one question at a time, and takes y and yes alone as an allowance", async () => {
    const { decide, asked } = terminal("y", " YES ", "", "no", "yesterday", undefined)
    const replies = await Promise.all(
      ["a.org", "b.org", "c.org", "d.org", "e.org", "::1"].map((host) => decide(request(host))),
    )
    expect(replies.map((reply) => typeof reply === "object" && reply.type)).toEqual([
      "allow",
      "allow",
      "deny",
      "deny",
      "deny",
      "deny",
    ])
    expect(asked[0]).toBe(
      "procwire: the command wants to reach a.org:443 by a tunnel of HTTP. Allow it? [y/N] ",
    )
    expect(asked[5]).toContain("[::1]:443")
  })

  it("shows a name without what a terminal would obey", async () => {
    const { decide, asked } = terminal("n")
    await decide(request("x\x1b]0;y\x07.org\r\n"))
    expect(asked[0]).toContain("reach x??0?y?.org??:443")
  })

  it("denies without a terminal, and says so", async () => {
    const decide = PolicyPrompt.make({
      isTerminal: () => false,
      ask: () => Promise.reject(new Error("asked")),
      tell: () => {},
    })
    expect(await decide(request("x.org"))).toEqual({
      type: "deny",
      reason: "procwire run has no terminal to ask at",
    })
  })

  it("leaves and skips the questions for whose answers the server waits no longer", async () => {
    const written: Array<string> = []
    const waits = ["a.org", "b.org", "c.org"].map(() => new AbortController())
    let asked = 0
    const decide = PolicyPrompt.make({
      isTerminal: () => true,
      ask: (text, late) => {
        written.push(text)
        return text.includes("c.org")
          ? Promise.resolve("y")
          : new Promise((resolve) => late.addEventListener("abort", () => resolve(undefined)))
      },
      tell: (text) => void written.push(text),
      late: () => waits[asked++]!.signal,
    })
    const replies = Promise.all(["a.org", "b.org", "c.org"].map((host) => decide(request(host))))
    await new Promise((done) => setImmediate(done))
    waits[1]?.abort()
    waits[0]?.abort()
    const unanswered = { type: "ask", reason: "nobody has answered at the terminal in time" }
    expect(await replies).toEqual([unanswered, unanswered, { type: "allow" }])
    expect(written).toEqual([
      expect.stringContaining("reach a.org:443"),
      "\nprocwire: a.org:443 is denied: the server waits for an answer no longer\n",
      "procwire: b.org:443 is denied: the server waits for an answer no longer\n",
      expect.stringContaining("reach c.org:443"),
    ])
  })
})
