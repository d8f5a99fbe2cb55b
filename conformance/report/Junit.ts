/**
 * A run as JUnit XML for CI systems: a suite for each family and transport, a test for each case.
 *
 * JUnit has no expected failures: a failure that does not count is a skipped test, whose message begins with the
 * reason; a case that was not played is an error. Stale entries of the baseline are a suite of their own, and so is the
 * failure of a run in which no case has passed. Characters that XML cannot represent are replaced.
 */
import { family } from "../suite/Case.ts"
import * as Report from "./Report.ts"
import type { Outcome } from "../suite/RunCase.ts"
import * as Verdict from "./Verdict.ts"

const entities: { readonly [sign: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\r": "&#13;",
  "\t": "&#9;",
}

/** Characters that XML 1.0 cannot represent: controls, lone surrogates, two noncharacters. */
const unwritable = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

const escape = (text: string): string =>
  text.replace(unwritable, "\u{FFFD}").replace(/[&<>"\n\r\t]/g, (sign) => entities[sign] ?? sign)

const attributes = (values: { readonly [name: string]: string | number }): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`)
    .join("")

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

const testcase = (outcome: Outcome, terms: Verdict.Terms, style: Report.Style): string => {
  const { case: item, ms, status, transport } = outcome
  const head = attributes({
    classname: `${family(item.id)} (${transport})`,
    name: item.id,
    time: seconds(ms),
  })
  if (status === "pass") return `    <testcase${head}/>`
  if (status === "unplayed") {
    const error = attributes({ message: outcome.reason, type: status })
    return `    <testcase${head}><error${error}/></testcase>`
  }
  const message = status === "skip" ? outcome.reason : Verdict.excuse(outcome, terms)
  if (message !== "") {
    const full = status === "skip" ? message : `${message} (${outcome.reason})`
    return `    <testcase${head}><skipped${attributes({ message: full })}/></testcase>`
  }
  const failure = attributes({ message: outcome.reason, type: item.level })
  const text = escape(Report.failure(outcome, { ...style, colour: false }))
  return `    <testcase${head}><failure${failure}>${text}</failure></testcase>`
}

interface Numbers {
  readonly tests: number
  readonly failures: number
  readonly errors: number
  readonly skipped: number
}

const testsuite = (name: string, numbers: Numbers, ms: number, tests: ReadonlyArray<string>): string =>
  [`  <testsuite${attributes({ name, ...numbers, time: seconds(ms) })}>`, ...tests, "  </testsuite>"].join(
    "\n",
  )

/** A test of the run itself, which has failed. */
const failing = (classname: string, name: string, message: string, type: string): string =>
  `    <testcase${attributes({ classname, name, time: "0" })}><failure${attributes({ message, type })}/></testcase>`

/** The whole document; `ms` is the duration of the run in milliseconds. */
export const make = (verdict: Verdict.Verdict, ms: number, style: Report.Style): string => {
  const { outcomes, stale, terms } = verdict
  const groups = new Map<string, Array<Outcome>>()
  for (const outcome of outcomes) {
    const name = `${family(outcome.case.id)} (${outcome.transport})`
    groups.set(name, [...(groups.get(name) ?? []), outcome])
  }
  const failed = (some: ReadonlyArray<Outcome>): number =>
    some.filter((outcome) => Verdict.standing(outcome, terms) === "fail").length
  const unplayed = (some: ReadonlyArray<Outcome>): number =>
    some.filter(({ status }) => status === "unplayed").length
  const suites = [...groups].map(([name, some]) => {
    const passes = some.filter(({ status }) => status === "pass").length
    const [failures, errors] = [failed(some), unplayed(some)]
    const numbers = {
      tests: some.length,
      failures,
      errors,
      skipped: some.length - passes - failures - errors,
    }
    const time = some.reduce((sum, outcome) => sum + outcome.ms, 0)
    return testsuite(
      name,
      numbers,
      time,
      some.map((outcome) => testcase(outcome, terms, style)),
    )
  })
  const old = stale.map(({ entry, why }) => failing("baseline", entry.id, why, "stale"))
  const none = outcomes.some(({ status }) => status === "pass")
    ? []
    : [failing("run", "a case has passed", "no case has passed", "empty")]
  for (const [name, tests] of [
    ["baseline", old],
    ["run", none],
  ] as const) {
    const numbers = { tests: tests.length, failures: tests.length, errors: 0, skipped: 0 }
    if (tests.length > 0) suites.push(testsuite(name, numbers, 0, tests))
  }
  const root = attributes({
    name: "procwire-conformance",
    tests: outcomes.length + old.length + none.length,
    failures: failed(outcomes) + old.length + none.length,
    errors: unplayed(outcomes),
    time: seconds(ms),
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${root}>`,
    ...suites,
    "</testsuites>",
    "",
  ].join("\n")
}
