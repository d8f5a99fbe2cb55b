/**
 * The argument `wait_for`: what a call waits for, as a model says it, and the conditions of `process/wait` that it
 * becomes.
 *
 * A wait also ends when the command asks for input, where the server can tell: nothing else would come then.
 */
import * as Result from "effect/Result"
import type { WaitCondition } from "../client/RemoteProcess.ts"
import * as Pattern from "../pattern/Pattern.ts"
import type { Server } from "./ExecBackend.ts"
import type { WaitResult } from "../features/wait/wire.ts"
import * as Arguments from "./Arguments.ts"

/** The conditions of a wait: the first that holds ends it. */
export const WaitFor = Arguments.group(
  "What to wait for; the first that holds ends the wait, and the reply says which. With it yield_time_ms is " +
    "the longest wait (default 300000, at most 3600000).",
  {
    exit: Arguments.flag("The command has exited."),
    text: Arguments.optionalText("The output since the last reply has this text."),
    pattern: Arguments.optionalText(
      "The output since the last reply has a match of this regular expression (RE2 syntax).",
    ),
    quiet_ms: Arguments.count("Nothing was printed for so many milliseconds."),
    port: Arguments.count("The command, or what it has started, listens on this TCP port."),
    input: Arguments.flag(
      "The command asks for input. Every wait ends then, unless this is false (default true).",
    ),
  },
)
export type WaitFor = typeof WaitFor.Type

/** The kind of a condition. */
export type Kind = "exit" | "text" | "pattern" | "port" | "input" | "quiet"

/** The conditions of a wait, in the order in which they count, and what each is for. */
export interface Plan {
  readonly kinds: ReadonlyArray<Kind>
  readonly until: ReadonlyArray<WaitCondition>
  /** True if the server is to be asked for input after a wait that has ended by something else. */
  readonly tellsInput: boolean
}

/** The end of a wait: by a condition, at its timeout, or with the command. */
export interface WaitEnd {
  /** The kind of the condition; at its timeout, or with the command. */
  readonly by: Kind | "timeout" | "ended"
  /** The evidence, in words. */
  readonly detail: string
  /** Set if the command asks for input, and `password` if its terminal does not show what is typed. */
  readonly asks?: "input" | "password"
}

/** The conditions that a server with these capabilities can watch; as a failure, why it cannot. */
export const plan = (waitFor: WaitFor, server: Server = {}): Result.Result<Plan, string> => {
  const { exit, text, pattern, port, input, quiet_ms } = waitFor
  const canTell = server.processWaitInput === true
  const implied = canTell && input === undefined
  const wanted: ReadonlyArray<readonly [Kind, WaitCondition] | undefined> = [
    exit === true ? ["exit", { exit }] : undefined,
    text === undefined ? undefined : ["text", { pattern: text, flags: "l" }],
    pattern === undefined ? undefined : ["pattern", { pattern, flags: "m" }],
    port === undefined ? undefined : ["port", { port: Number(port) }],
    input === true || implied ? ["input", { input: true }] : undefined,
    quiet_ms === undefined ? undefined : ["quiet", { idleMs: Number(quiet_ms) }],
  ]
  const all = wanted.filter((each) => each !== undefined)
  const refusal = wrong(waitFor, all.length - (implied ? 1 : 0)) ?? lacking(waitFor, server)
  if (refusal !== undefined) return Result.fail(refusal)
  return Result.succeed({
    kinds: all.map(([kind]) => kind),
    until: all.map(([, condition]) => condition),
    tellsInput: canTell,
  })
}

/** A wait for nothing but a question for input. */
export const inputAlone: Plan = { kinds: ["input"], until: [{ input: true }], tellsInput: true }

/** True for a wait that needs nothing of the server. */
export const isForExitAlone = ({ exit, ...others }: WaitFor): boolean =>
  exit === true &&
  Object.values({ ...others, input: others.input || undefined }).every((value) => value == null)

const wrong = ({ text, pattern, port }: WaitFor, count: number): string | undefined => {
  if (count === 0)
    return "wait_for names nothing to wait for: give it exit, text, pattern, quiet_ms, port or input"
  if (port !== undefined && !(port >= 1 && port <= 65_535))
    return `wait_for.port must be from 1 to 65535, not ${port}`
  for (const [name, given, flags] of [
    ["text", text, "l"],
    ["pattern", pattern, "m"],
  ] as const) {
    const compiled = given === undefined ? undefined : Pattern.compile(given, flags)
    if (compiled !== undefined && Result.isFailure(compiled))
      return `wait_for.${name}: ${compiled.failure.message}`
  }
  return undefined
}

const lacking = ({ port, input }: WaitFor, server: Server): string | undefined => {
  if (server.processWait !== true)
    return "this server cannot wait for that (it lacks the capability processWait): call without wait_for, or with exit alone"
  if (port !== undefined && server.processWaitPort !== true)
    return "this server cannot tell who listens (it lacks the capability processWaitPort): wait for a text instead of a port"
  if (input === true && server.processWaitInput !== true)
    return "this server cannot tell who asks for input (it lacks the capability processWaitInput): wait for the text of the prompt, or for quiet_ms"
  return undefined
}

/** The end of the wait of a plan. */
export const toEnd = ({ kinds }: Plan, result: WaitResult, millis: number): WaitEnd => {
  const unknown = (result.unknown ?? []).map(
    ({ index, why }) => `; of ${kinds[index]} nothing is known: ${why}`,
  )
  const { met, evidence } = result
  if (met === null) {
    return result.closed
      ? { by: "ended", detail: `the command ended first${unknown.join("")}` }
      : { by: "timeout", detail: `nothing that was waited for came in ${millis} ms${unknown.join("")}` }
  }
  const by = kinds[met] ?? "exit"
  return { by, detail: detailOf(by, evidence), ...asksOf(evidence) }
}

/** The question of a command, if that is the evidence. */
export const asksOf = (evidence: WaitResult["evidence"]): Pick<WaitEnd, "asks"> =>
  evidence?.input === undefined ? {} : { asks: evidence.input.secret === true ? "password" : "input" }

const detailOf = (by: Kind, evidence: WaitResult["evidence"]): string => {
  switch (by) {
    case "exit":
      return "the command has exited"
    case "text":
    case "pattern":
      return `found ${JSON.stringify(shortened(evidence?.match?.text ?? ""))}`
    case "quiet":
      return `nothing was printed for ${evidence?.idleMs} ms`
    case "port":
      return `port ${evidence?.port?.port} is open at ${evidence?.port?.host}, process ${evidence?.port?.pid}`
    case "input":
      return "the command asks for input"
  }
}

const shortened = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 200)}…`)
