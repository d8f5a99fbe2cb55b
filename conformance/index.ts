/**
 * The conformance suite as a library: its cases, what runs them, and what reports the outcomes. It does not need
 * vitest; `procwire/conformance/vitest` does.
 *
 * @module
 * @example
 * ```ts
 * import { Runner, Select, Target, cases } from "procwire/conformance"
 *
 * const outcomes = await Runner.run({
 *   cases: Select.select(cases, [], "all").cases,
 *   targets: [Target.command("stdio", ["my-server", "--listen", "stdio"])],
 *   parallel: 4,
 *   timeoutMs: 10_000,
 *   slow: false,
 *   without: new Set(["pty"]),
 * })
 * console.log(outcomes.filter(({ status }) => status === "fail").map((outcome) => outcome.case.id))
 * ```
 */
export * as Baseline from "./report/Baseline.ts"
export * as CaseContext from "./suite/CaseContext.ts"
export * as Causes from "./report/Causes.ts"
export * as Case from "./suite/Case.ts"
export * as Check from "./suite/Check.ts"
export * as Channel from "./suite/wire/Channel.ts"
export * as Child from "./suite/Child.ts"
export { cases } from "./suite/cases/index.ts"
export * as Dialect from "./suite/Dialect.ts"
export * as Inbox from "./suite/wire/Inbox.ts"
export type { Json, JsonObject } from "./suite/Json.ts"
export * as Junit from "./report/Junit.ts"
export * as Report from "./report/Report.ts"
export * as Peer from "./suite/Peer.ts"
export * as Preflight from "./suite/Preflight.ts"
export * as Reply from "./suite/wire/Reply.ts"
export * as RunCase from "./suite/RunCase.ts"
export * as Runner from "./suite/Runner.ts"
export * as Select from "./suite/Select.ts"
export type { ServerNeed } from "./suite/CaseServers.ts"
export * as ServerProcess from "./suite/wire/ServerProcess.ts"
export * as Tap from "./report/Tap.ts"
export * as Target from "./suite/Target.ts"
export {
  run as runSpawnerSuite,
  type Options as SpawnerSuiteOptions,
  type Outcome as SpawnerOutcome,
  type SpawnerSource,
} from "./spawner/SpawnerRunner.ts"
export * as Transcript from "./suite/Transcript.ts"
export * as TransportKind from "./suite/wire/TransportKind.ts"
export * as Verdict from "./report/Verdict.ts"
export * as Wire from "./suite/wire/Wire.ts"
