/**
 * Runs as a whole: which cases are played on which target, and what a failure tells.
 */
import { expect, test } from "vitest"
import { make } from "./Case.ts"
import { cases } from "./cases/index.ts"
import { fail } from "./Check.ts"
import { pause } from "./Deadline.ts"
import * as Report from "../report/Report.ts"
import * as Runner from "./Runner.ts"
import { select } from "./Select.ts"
import * as Target from "./Target.ts"
import * as Own from "../testing/Own.ts"

const style: Report.Style = { colour: false, verbose: false, program: "procwire-conformance" }

const runOn = (targets: ReadonlyArray<Target.Target>, ...globs: ReadonlyArray<string>) =>
  runFor(60_000, targets, globs)

const runFor = (timeoutMs: number, targets: ReadonlyArray<Target.Target>, globs: ReadonlyArray<string>) =>
  Runner.run({
    cases: select(cases, globs, "all").cases,
    targets,
    parallel: 2,
    timeoutMs,
    slow: false,
    without: new Set(["pty"] as const),
  })

test("a case runs on every target that can carry it, and outcomes keep the order of the cases", async () => {
  const both = [Own.target("stdio"), Own.target("ws")]
  const globs = ["handshake/second-initialize-refused", "framing/blank-lines-skipped", "session/isolated"]
  const outcomes = await runOn(both, ...globs)
  expect(outcomes.map(({ case: { id }, status, transport }) => [id, transport, status])).toEqual([
    ["handshake/second-initialize-refused", "stdio", "pass"],
    ["handshake/second-initialize-refused", "ws", "pass"],
    ["framing/blank-lines-skipped", "stdio", "pass"],
    ["session/isolated", "ws", "pass"],
  ])
})

test("a case that no target can carry, or whose capability is lacking, is skipped with the reason", async () => {
  const outcomes = await runOn([Own.target("stdio")], "session/isolated", "process/output/tty-size")
  expect(outcomes.map(({ reason, status }) => [status, reason])).toEqual([
    ["skip", "the server is without pty"],
    ["skip", "only over sockets"],
  ])
})

test("a failure is reported with its sentence, what was sent, what came, and a command to repeat it", async () => {
  // The case fails when it has waited in vain for so long.
  const targets = [Target.command("stdio", Own.broken("id-as-string"))]
  const [failed] = await runFor(10_000, targets, ["handshake/initialize-returns*"])
  const text = failed === undefined ? "" : Report.failure(failed, style)
  expect(text).toContain("initialize {clientName} is answered with a result")
  expect(text).toMatch(/→ \{"id":1000,"method":"initialize"/)
  expect(text).toMatch(/← \{"id":"1000","result"/)
  expect(text).toMatch(/alone: procwire-conformance --command .*broken\.mjs id-as-string.* handshake\//)
})

test("a server that cannot be started fails its cases and ends no run", async () => {
  const outcomes = await runOn(
    [Target.command("ws", [process.execPath, "no-such-server.mjs"])],
    "environment/status*",
    "session/isolated",
  )
  expect(outcomes.map(({ status }) => status)).toEqual(["fail", "fail"])
  expect(outcomes[0]?.reason).toContain("before its first line")
})

test("a wait that a failed case has left behind does not end the run", async () => {
  const abandons = make("a/abandons", {
    level: "must",
    spec: [],
    says: "Waits for something in vain and fails for another reason.",
    run: async (t) => {
      const wire = await t.open()
      void wire.inbox.wait("what never comes", 50, () => undefined).then(() => undefined)
      fail("another reason")
    },
  })
  const patient = make("a/patient", {
    level: "must",
    spec: [],
    says: "Is still there when the wait of the other case ends.",
    run: () => pause(200),
  })
  const plan = { parallel: 2, timeoutMs: 60_000, slow: false, without: new Set(["pty"] as const) }
  const targets = [Own.target("stdio")]
  const outcomes = await Runner.run({ ...plan, cases: [abandons, patient], targets })
  expect(outcomes.map(({ status }) => status)).toEqual(["fail", "pass"])
})
