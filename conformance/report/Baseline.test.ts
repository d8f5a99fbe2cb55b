/**
 * Baselines and verdicts: what is expected, what is stale, what counts.
 */
import { expect, test } from "vitest"
import * as Baseline from "./Baseline.ts"
import { cases, outcome } from "../testing/outcomes.ts"
import * as Verdict from "./Verdict.ts"

/** Without it no run is a success. */
const passing = outcome("a/ws-only", "pass", "ws")

const judge = (
  baseline: ReadonlyArray<Baseline.Entry>,
  ...outcomes: ReadonlyArray<ReturnType<typeof outcome>>
) => Verdict.make([...outcomes, passing], cases, { strict: false, baseline })

test("a run in which no case has passed is no success", () => {
  for (const status of ["skip", "unplayed", "fail"] as const)
    expect(Verdict.make([outcome("a/peer", status)], cases).passed).toBe(false)
  expect(Verdict.make([], cases).passed).toBe(false)
  expect(Verdict.make([passing], cases).passed).toBe(true)
  expect(Verdict.make([passing, outcome("a/peer", "unplayed")], cases).passed).toBe(false)
})

test("an expected failure does not fail the run", () => {
  const entries = [{ id: "a/must", reason: "known" }]
  expect(judge([], outcome("a/must", "fail")).passed).toBe(false)
  expect(judge(entries, outcome("a/must", "fail")).passed).toBe(true)
})

test("an entry for one transport expects nothing of the other", () => {
  const entries = [{ id: "a/must", transport: "stdio", reason: "known" } as const]
  expect(judge(entries, outcome("a/must", "fail", "ws")).passed).toBe(false)
  const both = judge(entries, outcome("a/must", "fail", "stdio"), outcome("a/must", "pass", "ws"))
  expect(both.passed).toBe(true)
})

test("an entry whose case passes is stale and fails the run", () => {
  const verdict = judge([{ id: "a/must", reason: "known" }], outcome("a/must", "pass"))
  expect(verdict.passed).toBe(false)
  expect(verdict.stale).toMatchObject([{ entry: { id: "a/must" }, why: "it passes over stdio" }])
})

test("an entry without a transport is not stale while it still fails on one", () => {
  const entries = [{ id: "a/must", reason: "known" }]
  expect(judge(entries, outcome("a/must", "pass"), outcome("a/must", "fail", "ws")).passed).toBe(true)
})

test("an entry that names no case, or a transport that its case never has, is stale", () => {
  const entries = [
    { id: "gone", reason: "known", flaky: true },
    { id: "a/ws-only", transport: "stdio", reason: "known" } as const,
  ]
  expect(judge(entries).stale.map(({ why }) => why)).toEqual([
    "there is no such case",
    "the case runs over ws only",
  ])
})

test("an entry is not stale when its case did not run or was skipped", () => {
  const entries = [{ id: "a/must", reason: "known" }]
  expect(judge(entries, outcome("a/should", "pass")).passed).toBe(true)
  expect(judge(entries, outcome("a/must", "skip")).passed).toBe(true)
})

test("a flaky entry may pass and may fail", () => {
  const entries = [{ id: "a/must", reason: "a race", flaky: true }]
  expect(judge(entries, outcome("a/must", "pass")).passed).toBe(true)
  expect(judge(entries, outcome("a/must", "fail")).passed).toBe(true)
})

test("a failed should counts only under strict, a failed peer never", () => {
  const outcomes = [outcome("a/should", "fail"), outcome("a/peer", "fail")]
  const loose = Verdict.make([...outcomes, passing], cases)
  expect(loose.passed).toBe(true)
  expect(outcomes.map((one) => Verdict.standing(one, loose.terms))).toEqual(["told", "told"])
  const strict = Verdict.make(outcomes, cases, { strict: true, baseline: [] })
  expect(strict.passed).toBe(false)
  expect(outcomes.map((one) => Verdict.standing(one, strict.terms))).toEqual(["fail", "told"])
})

test("a baseline that is not understood is refused with a sentence that names the entry", () => {
  const wrong: ReadonlyArray<readonly [text: string, says: RegExp]> = [
    ["{}", /not a JSON list/],
    ["[", /not a JSON list/],
    ["[5]", /entry 1 is not an object/],
    [`[{"id":"a","reason":"x"},{"reason":"x"}]`, /entry 2 has no id/],
    [`[{"id":"a"}]`, /entry 1 \(a\) has no reason/],
    [`[{"id":"a","reason":" "}]`, /has no reason/],
    [`[{"id":"a","reason":"x","transport":"udp"}]`, /none of stdio, ws, unix, tcp/],
    [`[{"id":"a","reason":"x","flaky":1}]`, /neither true nor false/],
    [`[{"id":"a","reason":"x","flakey":true}]`, /unknown member flakey/],
  ]
  for (const [text, says] of wrong) expect(() => Baseline.parse(text)).toThrow(says)
})
