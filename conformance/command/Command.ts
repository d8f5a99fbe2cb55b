/**
 * One run of the command: from its arguments to its reports and its exit code.
 *
 * Guarantees: a file that cannot be read or written is a usage error that names it, before anything runs. With `--tap`
 * standard output holds only TAP; everything else goes to standard error.
 */
import { readFileSync, writeFileSync } from "node:fs"
import * as Baseline from "../report/Baseline.ts"
import type { Case } from "../suite/Case.ts"
import * as Junit from "../report/Junit.ts"
import { defaultTimeoutMs, parse, usage, UsageError, type Options } from "./Options.ts"
import * as Report from "../report/Report.ts"
import * as Runner from "../suite/Runner.ts"
import { select } from "../suite/Select.ts"
import * as SpawnerFlag from "./SpawnerFlag.ts"
import * as Tap from "../report/Tap.ts"
import * as Verdict from "../report/Verdict.ts"
import { version } from "./Version.ts"

/** What a run needs beside its arguments. */
export interface Surroundings {
  /** The name of the command, for the lines that repeat a case. */
  readonly name: string
  readonly cases: ReadonlyArray<Case>
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
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

/** Makes sure before the run that its result can be written. */
const reserve = (flag: string, file: string | undefined): void => {
  if (file === undefined) return
  try {
    writeFileSync(file, "")
  } catch (error) {
    throw new UsageError(`${flag} ${file}: ${reason(error)}`)
  }
}

const chosen = (options: Options, cases: ReadonlyArray<Case>): ReadonlyArray<Case> => {
  const selection = select(cases, options.globs, options.depth)
  if (selection.unknown.length > 0)
    throw new UsageError(`no case matches ${selection.unknown.join(", ")}: see --list`)
  if (selection.cases.length === 0)
    throw new UsageError(`no case of this level matches ${options.globs.join(", ")}`)
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
  colour: out.isTTY && (process.env["NO_COLOR"] ?? "") === "",
  verbose: options.verbose,
  program: [
    name,
    ...(options.dialect === "current" ? [] : ["--dialect", options.dialect]),
    ...(options.timeoutMs === defaultTimeoutMs ? [] : ["--timeout-ms", String(options.timeoutMs)]),
  ].join(" "),
})

/** Runs the chosen cases and returns the exit code. Fails with a {@link UsageError} on wrong use. */
export const run = async (argv: ReadonlyArray<string>, around: Surroundings): Promise<number> => {
  const options = parse(argv)
  if (options.help || options.version) {
    around.out.write(options.help ? usage : `${version()}\n`)
    return 0
  }
  const { spawner } = options
  const all =
    spawner === undefined
      ? around.cases.filter(({ dialect }) => dialect === options.dialect)
      : await SpawnerFlag.cases()
  const cases = chosen(options, all)
  if (options.list) {
    around.out.write(listing(cases))
    return 0
  }
  const terms: Verdict.Terms = { strict: options.strict, baseline: readBaseline(options.baseline) }
  reserve("--json", options.json)
  reserve("--junit", options.junit)
  const people = options.tap ? around.err : around.out
  const look = style(options, { name: around.name, out: people })
  const status = Report.progress(people)
  const began = performance.now()
  const tell: Runner.OnOutcome = (outcome, done, of) => {
    status.clear()
    const failed = ["fail", "told"].includes(Verdict.standing(outcome, terms))
    if (failed && !options.tap) people.write(`${Report.failure(outcome, look, terms)}\n\n`)
    else if (options.verbose) people.write(`${Report.line(outcome, look, terms)}\n`)
    status.show(`${done}/${of} ${outcome.case.id}`)
  }
  const outcomes =
    spawner === undefined
      ? await Runner.run({ ...options, cases }, tell)
      : await SpawnerFlag.run(spawner, options, tell)
  status.clear()
  const ms = performance.now() - began
  const verdict = Verdict.make(outcomes, all, terms)
  if (options.tap) around.out.write(Tap.make(verdict, look))
  people.write(
    options.tap ? `${Report.verdictLine(verdict, ms, look)}\n` : `${Report.summary(verdict, ms, look)}\n`,
  )
  if (options.json !== undefined) writeFileSync(options.json, Report.toJson(verdict, version(), ms))
  if (options.junit !== undefined) writeFileSync(options.junit, Junit.make(verdict, ms, look))
  return verdict.passed ? 0 : 1
}
