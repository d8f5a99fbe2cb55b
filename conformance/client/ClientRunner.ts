/**
 * Runs a client against the server that the suite plays, and judges what it does. For each case the client is started
 * once: it has to run the words behind its command on the server, and to end as they do.
 */
import { randomUUID } from "node:crypto"
import { make as makeCase, type Case } from "../suite/Case.ts"
import { CheckFailure, fail, show } from "../suite/Check.ts"
import { within } from "../suite/Deadline.ts"
import type { Outcome } from "../suite/RunCase.ts"
import type { OnOutcome } from "../suite/Runner.ts"
import { quote } from "../suite/ShellWords.ts"
import * as Transcript from "../suite/Transcript.ts"
import * as ServerProcess from "../suite/wire/ServerProcess.ts"
import { carries, type TransportKind } from "../suite/wire/TransportKind.ts"
import * as Doors from "./Doors.ts"
import * as Played from "./Played.ts"
import { load, type Scenario, type Wanted } from "./Scenario.ts"

/** The placeholder of a client's command for the address of the server. */
export const placeholder = "{URL}"

/** The placeholder, over stdio, for the program that is the server. */
export const programPlaceholder = "{COMMAND}"

export interface Plan {
  /** The words of the client's command, one of them with `{URL}` or `{COMMAND}`. */
  readonly words: ReadonlyArray<string>
  readonly scenarios: ReadonlyArray<Scenario>
  readonly transports: ReadonlyArray<TransportKind>
  readonly parallel: number
  /** The longest wait without a message of the client, in milliseconds. */
  readonly timeoutMs: number
  /** The abilities that the client lacks. */
  readonly without: ReadonlySet<string>
}

const unplayed = (): Promise<void> => Promise.resolve()

/** A scenario, as lists and reports have cases. */
export const toCase = ({ dialect, id, level, says, transports }: Scenario): Case =>
  makeCase(id, { dialect, level, says, transports, spec: [], run: unplayed })

export const cases = (): ReadonlyArray<Case> => load().map(toCase)

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: Buffer
  readonly stderr: string
}

const judgeOutput = (wants: Wanted, { code, signal, stderr, stdout }: Ended): string | undefined => {
  const said = stderr === "" ? "" : `; its standard error: ${show(stderr)}`
  const expected =
    wants.stdoutBase64 === undefined
      ? Buffer.from(wants.stdout ?? "")
      : Buffer.from(wants.stdoutBase64, "base64")
  if (signal !== null) return `the client was killed by ${signal}${said}`
  if (wants.fails === true && code === 0) return "the client had to fail, and has ended with exit code 0"
  if (wants.exitCode !== undefined && code !== wants.exitCode)
    return `the exit code: wanted ${wants.exitCode}, got ${code}${said}`
  const wantsOutput = wants.stdout !== undefined || wants.stdoutBase64 !== undefined
  if (wantsOutput && !stdout.equals(expected))
    return `the standard output: wanted ${show(expected.toString("utf8"))}, got ${show(stdout.toString("utf8"))}${said}`
  if (wants.stderr !== undefined && stderr !== wants.stderr)
    return `the standard error: wanted ${show(wants.stderr)}, got ${show(stderr)}`
  if (wants.stderrHas !== undefined && !stderr.includes(wants.stderrHas))
    return `the standard error: wanted a text with ${show(wants.stderrHas)}, got ${show(stderr)}`
  return undefined
}

const judge = (wants: Wanted, ended: Ended, { input, starts, seen }: Played.Outcome): string | undefined => {
  const { starts: wanted = 1, atMost = {} } = wants
  if (starts !== wanted)
    return `the process had to be started ${wanted} times, and was started ${starts} times`
  if (wants.input !== undefined && input !== wants.input)
    return `what was written to the process: wanted ${show(wants.input)}, got ${show(input)}`
  for (const [method, most] of Object.entries(atMost)) {
    const count = seen.get(method) ?? 0
    if (count > most) return `${method} had to be sent at most ${most} times, and was sent ${count} times`
  }
  return judgeOutput(wants, ended)
}

const placed = (word: string, url: string): string =>
  word.replaceAll(placeholder, url).replaceAll(programPlaceholder, url.replace(/^stdio:/, ""))

/** Plays one case; returns what is wrong, or an empty text. */
const play = async (
  scenario: Scenario,
  kind: TransportKind,
  { timeoutMs, words }: Plan,
  transcript: Transcript.Transcript,
): Promise<string> => {
  let changed = (): void => undefined
  let lastSign = performance.now()
  const played = Played.make(scenario, transcript, () => {
    lastSign = performance.now()
    changed()
  })
  const door = await Doors.open(kind, played)
  const argv = [...words.map((word) => placed(word, door.url)), ...scenario.argv]
  const client = ServerProcess.launch({ argv, env: {}, token: randomUUID() })
  const output: Array<Buffer> = []
  client.child.stdout.on("data", (bytes: Buffer) => output.push(bytes))
  client.child.stdin.end(scenario.stdin)
  const closed = new Promise<void>((resolve) => client.child.once("close", () => resolve()))
  try {
    const faulty = new Promise<void>((resolve) => {
      changed = () => {
        if (played.fault() !== undefined) resolve()
      }
    })
    const what = () => played.waitsFor() ?? "the end of the client"
    await within(Promise.race([client.exit, faulty]), timeoutMs, "the client", () => lastSign).catch(
      (error: unknown) => {
        const late = error instanceof CheckFailure && error.reason === "late"
        throw late ? new CheckFailure(`waited ${timeoutMs} ms in vain for ${what()}`, "late") : error
      },
    )
    const fault = played.fault()
    if (fault !== undefined) return fault
    const { code, notStarted, signal } = await client.exit
    if (notStarted !== undefined) return `the client could not be started: ${notStarted}`
    await within(closed, timeoutMs, "the end of the client's output")
    const ended = { code, signal, stdout: Buffer.concat(output), stderr: client.errors() }
    const left = played.waitsFor()
    const wrong = judge(scenario.wants, ended, played.outcome())
    if (left === undefined) return wrong ?? ""
    return `the client has ended with ${code} before ${left}${wrong === undefined ? "" : `; ${wrong}`}`
  } catch (error) {
    if (error instanceof CheckFailure) return error.message
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  } finally {
    client.kill()
    door.close()
  }
}

const skipReason = ({ requires, transports }: Scenario, kind: TransportKind, { without }: Plan) => {
  const missing = requires.find((one) => without.has(one))
  if (missing !== undefined) return `the client is without ${missing}`
  return carries(transports, kind) ? "" : `only over ${transports}`
}

/** Runs the cases, each over every transport; several at a time. */
export const run = async (plan: Plan, onOutcome: OnOutcome): Promise<ReadonlyArray<Outcome>> => {
  if (plan.scenarios.length === 0) fail("no case is chosen")
  const jobs = plan.scenarios.flatMap((scenario) => plan.transports.map((kind) => ({ scenario, kind })))
  const outcomes: Array<Outcome> = []
  let next = 0
  let done = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < jobs.length; at = next++) {
      const { kind, scenario } = jobs[at] ?? fail("no such job")
      const skipped = skipReason(scenario, kind, plan)
      const transcript = Transcript.make()
      const began = performance.now()
      const reason = skipped === "" ? await play(scenario, kind, plan, transcript) : skipped
      const outcome: Outcome = {
        case: toCase(scenario),
        transport: kind,
        words: ["--client", plan.words.map(quote).join(" "), "--transports", kind],
        status: skipped !== "" ? "skip" : reason === "" ? "pass" : "fail",
        reason,
        ms: performance.now() - began,
        notes: [],
        transcript: reason === "" || skipped !== "" ? [] : transcript.entries,
        stderr: "",
      }
      outcomes[at] = outcome
      onOutcome(outcome, ++done, jobs.length)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, plan.parallel) }, worker))
  return outcomes
}
