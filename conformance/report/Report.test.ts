/**
 * The reports of one and the same run: for people, as JSON, as JUnit XML and as TAP.
 */
import { expect, test } from "vitest"
import * as Junit from "./Junit.ts"
import * as Report from "./Report.ts"
import * as Tap from "./Tap.ts"
import { cases, outcome } from "../testing/outcomes.ts"
import * as Xml from "../testing/Xml.ts"
import * as Verdict from "./Verdict.ts"

const style: Report.Style = { colour: false, verbose: false, program: "procwire-conformance" }

const nasty = `wanted <a> & "b" # not ]]> \u0000 \u001b[31m \ud800 \u{1F600}\nline two`

const verdict = Verdict.make(
  [
    outcome("a/must", "pass"),
    outcome("a/must", "fail", "ws", nasty),
    outcome("a/should", "fail"),
    outcome("a/peer", "skip", "stdio", "the server is without pty"),
    outcome("a/ws-only", "fail", "ws", "as ever"),
  ],
  cases,
  {
    strict: false,
    baseline: [
      { id: "a/ws-only", reason: "never could" },
      { id: "a/gone", reason: "was there once" },
    ],
  },
)

test("the summary counts by family and level, names stale entries and gives the verdict", () => {
  const text = Report.summary(verdict, 1500, style)
  expect(text).toMatch(/pass\s+fail\s+known\s+told\s+skip/)
  expect(text).toMatch(/ a\s+1\s+1\s+1\s+1\s+1\n/)
  expect(text).toMatch(/ must\s+1\s+1\s+1\s+0\s+0\n/)
  expect(text).toContain("stale entry in the baseline: a/gone: there is no such case")
  expect(text).toMatch(
    /not conformant \(1 failed, 1 stale in the baseline\): 5 cases over stdio and ws in 1\.5 s$/,
  )
})

test("colours appear only where they are wanted", () => {
  const escape = "\u001b["
  expect(Report.summary(verdict, 1, style)).not.toContain(escape)
  expect(Report.summary(verdict, 1, { ...style, colour: true })).toContain(escape)
})

test("a failure of a level that does not count is told, not called a failure", () => {
  const told = Report.failure(outcome("a/should", "fail"), style, verdict.terms)
  expect(told).toMatch(/^told a\/should \(should, stdio\)/)
  expect(told).toContain("alone: procwire-conformance --command 'my server' a/should")
})

test("JSON says of each case whether it counts and whether it is known", () => {
  const report: unknown = JSON.parse(Report.toJson(verdict, "1.2.3", 9))
  expect(report).toMatchObject({
    version: "1.2.3",
    passed: false,
    stale: [{ id: "a/gone", why: "there is no such case" }],
    cases: [
      { id: "a/must", transport: "stdio", status: "pass", counts: true },
      { id: "a/must", transport: "ws", status: "fail", counts: true, transcript: [{}, {}] },
      { id: "a/should", status: "fail", counts: false },
      { id: "a/peer", status: "skip", reason: "the server is without pty" },
      { id: "a/ws-only", status: "fail", known: "never could" },
    ],
  })
})

test("JUnit is well-formed XML whose numbers agree with its tests", () => {
  const root = Xml.parse(Junit.make(verdict, 1500, style))
  expect(root).toMatchObject({ name: "testsuites", attributes: { tests: "6", failures: "2", time: "1.500" } })
  const names = root.children.map(({ attributes }) => attributes["name"])
  expect(names).toEqual(["a (stdio)", "a (ws)", "baseline"])
  for (const suite of root.children) {
    const holding = (name: string): string =>
      String(suite.children.filter(({ children }) => children[0]?.name === name).length)
    expect(suite.attributes).toMatchObject({
      tests: String(suite.children.length),
      failures: holding("failure"),
      skipped: holding("skipped"),
    })
  }
})

test("JUnit carries every text, less what XML cannot write", () => {
  const root = Xml.parse(Junit.make(verdict, 1500, style))
  const [failed, known] = root.children[1]?.children ?? []
  expect(failed?.children[0]?.attributes["message"]).toBe(
    `wanted <a> & "b" # not ]]> \ufffd \ufffd[31m \ufffd \u{1F600}\nline two`,
  )
  expect(failed?.children[0]?.text).toContain("alone: procwire-conformance")
  expect(known?.children[0]?.attributes["message"]).toBe("known: never could (as ever)")
})

test("TAP has a plan, a point for each outcome and stale entry, and directives for what does not count", () => {
  const lines = Tap.make(verdict, style).split("\n")
  expect(lines.slice(0, 2)).toEqual(["TAP version 14", "1..6"])
  const points = lines.filter((line) => /^(not )?ok /.test(line))
  expect(points).toEqual([
    "ok 1 - a/must (must, stdio)",
    "not ok 2 - a/must (must, ws)",
    "not ok 3 - a/should (should, stdio) # TODO only told, its level is should",
    "ok 4 - a/peer (peer, stdio) # SKIP the server is without pty",
    "not ok 5 - a/ws-only (must, ws) # TODO known: never could",
    "not ok 6 - stale entry in the baseline: a/gone, there is no such case",
  ])
  const message = lines.find((line) => line.startsWith("  message: ")) ?? ""
  expect(JSON.parse(message.slice(11))).toBe(nasty)
  expect(lines.filter((line) => line === "  ---")).toHaveLength(3)
  expect(lines.filter((line) => line === "  ...")).toHaveLength(3)
})
