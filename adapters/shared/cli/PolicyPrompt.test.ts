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
    })
    expect(await decide(request("x.org"))).toEqual({
      type: "deny",
      reason: "procwire run has no terminal to ask at",
    })
  })
})
