/**
 * The cases of v0 on targets/v0/Server.mjs with one fault at a time: exactly the named cases fail.
 *
 * Unless the fault is in every answer, cases that it does not touch must pass.
 */
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { cases } from "../suite/cases/v0/index.ts"
import type { Outcome } from "../suite/RunCase.ts"
import * as Runner from "../suite/Runner.ts"
import { select } from "../suite/Select.ts"
import * as Target from "../suite/Target.ts"

interface Broken {
  readonly fails: ReadonlyArray<string>
  /** The fault is in every answer or forbids all that is unrelated. */
  readonly everywhere?: boolean
}

const broken: { readonly [fault: string]: Broken } = {
  "answer-bare": { fails: ["v0/exec/answer-shape", "v0/output/bytes-are-exact"], everywhere: true },
  "answer-ends-early": { fails: ["v0/exec/answer-shape"] },
  "answer-late": { fails: ["v0/output/answer-comes-first"] },
  "end-told": { fails: ["v0/output/streams-and-exit-code"] },
  "environment-leaks": { fails: ["v0/exec/environment-and-folder"] },
  "exit-numbered": { fails: ["v0/output/streams-and-exit-code"] },
  "exit-waits-for-output": { fails: ["v0/exited/not-delayed-by-descendants"] },
  "id-kept-at-exit": { fails: ["v0/exited/frees-the-id", "v0/terminate/unknown-is-not-running"] },
  "id-kept-at-terminate": { fails: ["v0/terminate/second-is-not-running"] },
  "id-shared": { fails: ["v0/exec/id-in-use-refused"] },
  "initialize-needed": { fails: ["v0/initialize/not-needed"], everywhere: true },
  "malformed-answered": { fails: ["v0/unknown/malformed-ends-the-connection"] },
  "output-cut-at-the-cap": { fails: ["v0/output/cap-cuts-nothing"] },
  "pid-of-the-server": { fails: ["v0/exec/pid-is-the-childs"] },
  "processes-outlive-the-connection": { fails: ["v0/terminate/connection-end-kills"] },
  "signal-code-of-today": { fails: ["v0/exited/of-a-signal"] },
  "stray-answer-answered": { fails: ["v0/unknown/answers-ignored"] },
  "stray-answer-ends": { fails: ["v0/unknown/answers-ignored"] },
  "streams-merged": { fails: ["v0/output/streams-and-exit-code"] },
  "terminate-spares-children": { fails: ["v0/terminate/kills-the-group"] },
  "unknown-method-by-todays-code": { fails: ["v0/unknown/method-refused"] },
  "unknown-notification-ends": { fails: ["v0/unknown/notification-answered-with-minus-one"] },
  "unknown-notification-ignored": { fails: ["v0/unknown/notification-answered-with-minus-one"] },
  "version-unnamed": { fails: ["v0/initialize/answers-the-version"] },
  "write-refused-in-a-result": {
    fails: ["v0/write/closed-for-pipes", "v0/write/unknown-process-refused"],
  },
}

const unrelated = [
  "v0/initialize/initialized-not-needed",
  "v0/exec/input-is-empty",
  "v0/exec/missing-fields-named",
  "v0/output/bytes-are-exact",
  "v0/terminate/unknown-is-not-running",
]

const server = fileURLToPath(new URL("../targets/v0/Server.mjs", import.meta.url))

const run = (fault: string | undefined, ids: ReadonlyArray<string>, timeoutMs: number) => {
  const words = fault === undefined ? [] : ["--fault", fault]
  return Runner.run({
    cases: select(cases, ids, "all").cases,
    targets: [Target.command("ws", [process.execPath, server, "--listen", "ws://127.0.0.1:0", ...words])],
    parallel: 3,
    timeoutMs,
    slow: false,
    without: new Set(["pty"] as const),
  })
}

const failed = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> =>
  outcomes.filter(({ status }) => status === "fail").map((outcome) => outcome.case.id)

test("every fault has its line here", async () => {
  const { href } = new URL("../targets/v0/faults.mjs", import.meta.url)
  const { faults } = (await import(href)) as { readonly faults: object }
  expect(Object.keys(broken).sort()).toEqual(Object.keys(faults).sort())
})

test.concurrent("the server without a fault passes every case", async () => {
  const outcomes = await run(undefined, [], 60_000)
  expect(outcomes.filter(({ status }) => status === "fail").map(({ reason }) => reason)).toEqual([])
})

for (const [fault, { everywhere = false, fails }] of Object.entries(broken)) {
  test.concurrent(`${fault} fails ${fails.join(", ")}`, async () => {
    expect([...failed(await run(fault, fails, 2_500))].sort()).toEqual([...fails].sort())
    if (everywhere) return
    const sure = unrelated.filter((id) => !fails.includes(id))
    expect(failed(await run(fault, sure, 60_000))).toEqual([])
  })
}
