/**
 * One run of the command: from its arguments to its reports and its exit code.
 *
 * Guarantees: a file that cannot be read or written is a usage error that names it, before anything runs. A server
 * that does not answer `initialize` is one sentence on standard error, and no case is played. With `--tap` standard
 * output holds only TAP; everything else goes to standard error.
 */
import { readFileSync } from "node:fs"
import * as ClientRunner from "../client/ClientRunner.ts"
import { load } from "../client/Scenario.ts"
import * as Baseline from "../report/Baseline.ts"
import * as Causes from "../report/Causes.ts"
import type { Case } from "../suite/Case.ts"
import * as Files from "./Files.ts"
import { defaultTimeoutMs, parse, usage, UsageError, type Options } from "./Options.ts"
import { newest } from "../suite/Peer.ts"
import * as Preflight from "../suite/Preflight.ts"
import * as Report from "../report/Report.ts"
import type { Outcome } from "../suite/RunCase.ts"
import * as Runner from "../suite/Runner.ts"
import { select } from "../suite/Select.ts"
import { quote } from "../suite/ShellWords.ts"
import * as SpawnerFlag from "./SpawnerFlag.ts"
import * as Tap from "../report/Tap.ts"
import * as Verdict from "../report/Verdict.ts"
import { version } from "./Version.ts"

/** The needs of a run beside its arguments. */
export interface Surroundings {
  /** The name of the command, for the lines that repeat a case. */
  readonly name: string
  readonly cases: ReadonlyArray<Case>
  readonly out: Report.Output
  readonly err: Report.Output
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const readBaseline = (file: string | undefined): ReadonlyArray<Baseline.Entry> => {
  if (file === undefined) return []
  try {
    return Baseline.parse(readFileSync(file, "utf8"))
  } catch (error) {
    throw new UsageError(`--baseline ${file}: ${reason(error)}`)
  }
}

/** Plays a client, for which the suite is the server: `--client`. */
const playClient = (options: Options, cases: ReadonlyArray<Case>, onOutcome: Runner.OnOutcome) => {
  const { client, clientTransports, clientWithout, parallel, timeoutMs } = options
  const scenarios = load().filter(({ id }) => cases.some((one) => one.id === id))
  const subject = { words: client, transports: clientTransports, without: clientWithout }
  return ClientRunner.run({ ...subject, scenarios, parallel, timeoutMs }, onOutcome)
}

const chosen = (options: Options, cases: ReadonlyArray<Case>): ReadonlyArray<Case> => {
  const selection = select(cases, options.globs, options.depth, options.peer)
  if (selection.unknown.length > 0)
    throw new UsageError(`no case matches ${selection.unknown.join(", ")}: see --list`)
  if (selection.cases.length === 0)
    throw new UsageError(`no case of this level and peer matches ${options.globs.join(", ")}`)
  return selection.cases
}

const listing = (cases: ReadonlyArray<Case>): string =>
  cases
    .map((item) => {
      const tags = [item.level, item.transports, ...(item.slow ? ["slow"] : []), ...item.requires]
      return `${item.id} (${tags.join(", ")})\n  ${item.says}\n`
    })
    .join("")

const style = (options: Options, { name, out }: Pick<Surroundings, "name" | "out">): Report.Style => ({
  colour: out.isTTY === true && (process.env["NO_COLOR"] ?? "") === "",
  verbose: options.verbose,
  program: [
    name,
    ...(options.dialect === "current" ? [] : ["--dialect", options.dialect]),
    ...(options.peer === newest ? [] : ["--peer", options.peer]),
    ...(options.timeoutMs === defaultTimeoutMs ? [] : ["--timeout-ms", String(options.timeoutMs)]),
  ].join(" "),
})

/** One sentence about the first server that cannot be tested; `undefined` if all of them answer. */
const trouble = async (options: Options): Promise<string | undefined> => {
  const asked = await Promise.all(
    options.targets.map(async (target) => ({
      target,
      found: await Preflight.check(target, options.timeoutMs),
    })),
  )
  const first = asked.find(({ found }) => found !== undefined)
  if (first?.found === undefined) return undefined
  for (const { target } of asked) target.close()
  const flag = first.found.reason === "late" ? " (--timeout-ms)" : ""
  return `${first.target.words.map(quote).join(" ")}: ${first.found.text}${flag}`
}

/** Runs the chosen cases and returns the exit code: 1 if something that counts has failed, 2 on wrong use. */
export const run = async (argv: ReadonlyArray<string>, around: Surroundings): Promise<number> => {
  try {
    return await play(argv, around)
  } catch (error) {
    const wrongUse = error instanceof UsageError
    const text = wrongUse
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error)
    around.err.write(`${around.name}: ${text}\n`)
    if (wrongUse) around.err.write("try --help\n")
    return wrongUse ? 2 : 1
  }
}

const play = async (argv: ReadonlyArray<string>, around: Surroundings): Promise<number> => {
  const options = parse(argv)
  if (options.help || options.version) {
    around.out.write(options.help ? usage : `${version()}\n`)
    return 0
  }
  const isClient = options.client.length > 0
  const spoken = isClient ? ClientRunner.cases() : around.cases
  const all =
    options.spawners.length === 0
      ? spoken.filter(({ dialect }) => dialect === options.dialect)
      : await SpawnerFlag.cases()
  const cases = chosen(options, all)
  if (options.list) {
    around.out.write(listing(cases))
    return 0
  }
  const baseline = readBaseline(options.baseline)
  const spawner = options.spawners.length === 0 ? undefined : await SpawnerFlag.load(options.spawners)
  const terms: Verdict.Terms = {
    strict: options.strict,
    baseline: [...baseline, ...(spawner?.known ?? [])],
  }
  const write = Files.open(options)
  const began = performance.now()
  const told = reporter(options, terms, around)
  const finish = (outcomes: ReadonlyArray<Outcome>, why?: string): number => {
    const ms = performance.now() - began
    const verdict = Verdict.make(outcomes, all, terms)
    told.end(verdict, ms, why)
    write({ verdict, ms, look: told.look })
    return verdict.passed ? 0 : 1
  }
  if (spawner !== undefined) return finish(await spawner.run({ ...options, globs: options.globs }, told.tell))
  if (isClient) return finish(await playClient(options, cases, told.tell))
  const why = await trouble(options)
  if (why !== undefined) return finish(Runner.unplayed({ ...options, cases }, why), why)
  return finish(await Runner.run({ ...options, cases }, told.tell))
}

/** The messages of a run while it goes on and at its end. */
interface Reporter {
  readonly look: Report.Style
  readonly tell: Runner.OnOutcome
  /** `why` is set if nothing was played. */
  readonly end: (verdict: Verdict.Verdict, ms: number, why: string | undefined) => void
}

/** Of the failures with one cause only the first is printed whole, unless everything is wanted. */
const reporter = (options: Options, terms: Verdict.Terms, { err, name, out }: Surroundings): Reporter => {
  const people = options.tap ? err : out
  const look = style(options, { name, out: people })
  const status = Report.progress(people)
  const seen = new Set<string>()
  return {
    look,
    tell: (outcome, done, of) => {
      status.clear()
      const failed = ["fail", "told"].includes(Verdict.standing(outcome, terms))
      const cause = Causes.keyOf(outcome.reason)
      if (failed && !options.tap && (options.verbose || !seen.has(cause))) {
        people.write(`${Report.failure(outcome, look, terms)}\n\n`)
        seen.add(cause)
      } else if (options.verbose) people.write(`${Report.line(outcome, look, terms)}\n`)
      status.show(`${done}/${of} ${outcome.case.id}`)
    },
    end: (verdict, ms, why) => {
      status.clear()
      if (options.tap) out.write(Tap.make(verdict, look))
      if (why !== undefined) err.write(`${name}: ${why}\n`)
      else if (options.tap) people.write(`${Report.verdictLine(verdict, ms, look)}\n`)
      else people.write(`${Report.summary(verdict, ms, look)}\n`)
    },
  }
}
