/** The summary of a run for a README: what it says, and that the same result is the same text. */
import { describe, expect, it } from "vitest"
import * as Markdown from "./Markdown.ts"
import { cases, outcome } from "../testing/outcomes.ts"
import type * as Tally from "./Tally.ts"
import * as Verdict from "./Verdict.ts"

const subject: Tally.Subject = { kind: "server", dialect: "v0", wire: "v0", suite: "1.2.3" }

const outcomes = [
  outcome("a/must", "pass"),
  outcome(
    "a/must",
    "fail",
    "ws",
    "answer `x`\nto proc-0b1c on ws://127.0.0.1:40123 in 12 ms: wanted 143, got 1",
  ),
  outcome("a/should", "fail"),
  outcome("a/peer", "skip", "stdio", "the server is without pty"),
  outcome("a/peer", "skip", "ws", "the server is without pty"),
  outcome("a/ws-only", "fail", "ws", "as ever"),
]
const terms = {
  strict: false,
  baseline: [
    { id: "a/ws-only", reason: "never could" },
    { id: "a/gone", reason: "" },
  ],
}
const text = Markdown.make(Verdict.make(outcomes, cases, terms), subject)

describe("A summary", () => {
  it("begins with the verdict, and ends with what was played", () => {
    expect(text).toMatch(/^## Conformance\n\n\*\*Not conformant\*\* as a server of the wire v0: 1 of 3 cases/)
    expect(text).toMatch(/\nprocwire-conformance 1\.2\.3 over stdio, ws\n$/)
    const good = Markdown.make(Verdict.make([outcome("a/must", "pass")], cases), {
      ...subject,
      kind: "client",
    })
    expect(good).toMatch(
      /\*\*Conformant\*\* as a client of the wire v0: 1 of 1 cases that count have passed\.\n/,
    )
  })

  it("counts by group", () => {
    expect(text).toContain("| group | pass | fail | expected to fail | do not count | skipped |")
    expect(text).toContain("| a | 1 | 1 | 1 | 1 | 2 |\n| all | 1 | 1 | 1 | 1 | 2 |")
  })

  it("names failures by their cause, as code that no sign of theirs can end", () => {
    expect(text).toContain(
      "### Failures\n\n- 1 case: `` answer `x` to proc-… on ws://127.0.0.1:… in … ms: wanted 143, got 1 ``: `a/must`\n",
    )
    expect(text).toContain("### Failures that do not count\n\n- 1 case: `it was otherwise`: `a/should`\n")
    expect(text).toContain("### Expected failures\n\n- `a/ws-only`: never could\n")
    expect(text).toContain("### Stale entries of the baseline\n\n- `a/gone`: there is no such case\n")
  })

  it("tells what was skipped, and why", () => {
    expect(text).toContain("### Skipped\n\n- 2 cases: `the server is without pty`\n")
  })

  it("is the same for the same result, however long it took and whatever ids it made up", () => {
    const [pass, fail, ...rest] = outcomes
    if (pass === undefined || fail === undefined) throw new Error("no outcomes")
    const other = fail.reason.replace("0b1c", "77aa").replace("40123", "51000").replace("12 ms", "3 ms")
    const again = [{ ...pass, ms: 99 }, { ...fail, reason: other, ms: 5 }, ...rest]
    expect(Markdown.make(Verdict.make(again, cases, terms), subject)).toBe(text)
  })
})
