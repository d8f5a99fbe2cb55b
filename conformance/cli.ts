#!/usr/bin/env node
/**
 * The entry of `procwire-conformance`. Exit code 0 if every `must` that ran has passed, 1 if one has failed, 2 on wrong use.
 */
import { writeFileSync } from "node:fs"
import { cases } from "./cases/index.ts"
import { parse, usage, UsageError, type Options } from "./Options.ts"
import * as Report from "./Report.ts"
import * as Runner from "./Runner.ts"
import { select } from "./Select.ts"
import { version } from "./Version.ts"

const out = process.stdout

const isTerminal = out.isTTY && (process.env["NO_COLOR"] ?? "") === ""

const style = (options: Options): Report.Style => ({
  colour: isTerminal,
  verbose: options.verbose,
  program: "procwire-conformance",
})

const main = async (argv: ReadonlyArray<string>): Promise<number> => {
  const options = parse(argv)
  if (options.help) {
    out.write(usage)
    return 0
  }
  if (options.version) {
    out.write(`${version()}\n`)
    return 0
  }
  const selection = select(cases, options.globs, options.depth)
  if (selection.unknown.length > 0)
    throw new UsageError(`no case fits ${selection.unknown.join(", ")}: see --list`)
  if (selection.cases.length === 0)
    throw new UsageError(`no case of this level fits ${options.globs.join(", ")}`)
  if (options.list) {
    for (const item of selection.cases) {
      const tags = [item.level, item.transports, ...(item.slow ? ["slow"] : []), ...item.requires]
      out.write(`${item.id} (${tags.join(", ")})\n  ${item.says}\n`)
    }
    return 0
  }
  const look = style(options)
  const status = Report.progress(out)
  const began = performance.now()
  const outcomes = await Runner.run({ ...options, cases: selection.cases }, (outcome, done, of) => {
    status.clear()
    if (outcome.status === "fail") out.write(`${Report.failure(outcome, look)}\n\n`)
    else if (options.verbose) out.write(`${Report.line(outcome, look)}\n`)
    status.show(`${done}/${of} ${outcome.case.id}`)
  })
  status.clear()
  const ms = performance.now() - began
  out.write(`${Report.summary(outcomes, ms, look)}\n`)
  if (options.json !== undefined) writeFileSync(options.json, Report.toJson(outcomes, version(), ms))
  return Runner.passed(outcomes) ? 0 : 1
}

const leave = (code: number): void => {
  process.exitCode = code
  out.write("", () => process.exit(code))
}

main(process.argv.slice(2)).then(leave, (error: unknown) => {
  const wrongUse = error instanceof UsageError
  const text = wrongUse
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error)
  process.stderr.write(`procwire-conformance: ${text}\n`)
  if (wrongUse) process.stderr.write("try --help\n")
  leave(wrongUse ? 2 : 1)
})
