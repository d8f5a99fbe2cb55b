/**
 * Proof that the suite can fail: servers that are wrong in one way each, and the cases that must say so.
 */
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { cases } from "./cases/index.ts"
import * as Report from "./Report.ts"
import type { Outcome } from "./RunCase.ts"
import * as Runner from "./Runner.ts"
import { select } from "./Select.ts"
import * as Target from "./Target.ts"
import * as Verdict from "./Verdict.ts"

const chosen = [
  "handshake/initialize-returns-session-and-environment",
  "handshake/second-initialize-refused",
  "process/start/five-fields-are-enough",
  "process/output/seq-contiguous",
  "process/output/order/closed-has-the-highest-seq",
  "process/read/unknown-process-refused",
]

const style: Report.Style = { colour: false, verbose: false, program: "procwire-conformance" }

const runOn = (name: string): Promise<ReadonlyArray<Outcome>> => {
  const script = fileURLToPath(new URL(`./targets/broken/${name}.mjs`, import.meta.url))
  return Runner.run({
    cases: select(cases, chosen, "all").cases,
    targets: [Target.command("stdio", [process.execPath, script])],
    parallel: 2,
    timeoutMs: 3_000,
    slow: false,
    without: new Set(),
  })
}

const failures = (outcomes: ReadonlyArray<Outcome>): { readonly [id: string]: string } =>
  Object.fromEntries(
    outcomes.filter(({ status }) => status === "fail").map((outcome) => [outcome.case.id, outcome.reason]),
  )

test("a server without a fault passes the chosen cases", async () => {
  const outcomes = await runOn("none")
  expect(failures(outcomes)).toEqual({})
  expect(outcomes.length).toBe(chosen.length)
  expect(Verdict.make(outcomes, cases).passed).toBe(true)
})

test("an id that comes back as a text is named at once", async () => {
  const found = failures(await runOn("id-as-string"))
  expect(Object.keys(found)).toContain("handshake/initialize-returns-session-and-environment")
  expect(found["handshake/initialize-returns-session-and-environment"]).toMatch(/came back as the string/)
})

test("a repeated seq fails the case about contiguous seqs", async () => {
  const outcomes = await runOn("seq-repeated")
  const found = failures(outcomes)
  expect(found["process/output/seq-contiguous"]).toMatch(/seq 1 of process .* came twice/)
  expect(found["handshake/second-initialize-refused"]).toBeUndefined()
  expect(Verdict.make(outcomes, cases).passed).toBe(false)
})

test("closed before exited fails the case about the highest seq", async () => {
  const found = failures(await runOn("closed-before-exited"))
  expect(found["process/output/order/closed-has-the-highest-seq"]).toMatch(/seqs above closed/)
  expect(found["process/start/five-fields-are-enough"]).toBeUndefined()
})

test("a dropped chunk fails the case about contiguous seqs", async () => {
  const found = failures(await runOn("chunk-dropped"))
  expect(found["process/output/seq-contiguous"]).toMatch(/in vain for all of seq 1 to/)
})

test("a second answer is noticed in any case", async () => {
  const found = failures(await runOn("answered-twice"))
  expect(found["process/read/unknown-process-refused"]).toMatch(/answered twice/)
})

test("a failure is reported with its sentence, what was sent, what came, and a command to repeat it", async () => {
  const failed = (await runOn("id-as-string")).find(({ status }) => status === "fail")
  const text = failed === undefined ? "" : Report.failure(failed, style)
  expect(text).toContain("initialize {clientName} is answered with a result")
  expect(text).toMatch(/→ \{"id":1000,"method":"initialize"/)
  expect(text).toMatch(/← \{"id":"1000","result"/)
  expect(text).toMatch(/alone: procwire-conformance --command .*id-as-string\.mjs.* handshake\//)
})
