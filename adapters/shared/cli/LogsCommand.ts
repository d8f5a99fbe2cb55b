/** `procwire logs`: what a process has printed, from its history, and what it prints from now on. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Platform } from "../Platform.ts"
import * as CastFlags from "./CastFlags.ts"
import * as Control from "./control/Control.ts"
import * as Join from "./control/Join.ts"
import * as Operands from "./control/Operands.ts"
import * as Past from "./control/Past.ts"
import * as Search from "./control/Search.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"

const command = "procwire logs"

const flags = {
  follow: { type: "boolean", short: "f", help: "go on with what is printed, until it has ended" },
  tail: { type: "string", short: "n", shows: "N", help: "the last lines only, or all [default: all]" },
  since: {
    type: "string",
    shows: "TIME",
    help: "what was printed since: a duration, as in 10m, or a time, as in 2026-11-22T16:00",
  },
  grep: {
    type: "string",
    shows: "RE",
    help: "lines with a match only, searched on the server; the syntax of RE2",
  },
  "ignore-case": { type: "boolean", short: "i", help: "with --grep: of either case" },
  timestamps: { type: "boolean", short: "t", help: "the time at the begin of each line" },
  cast: { type: "boolean", help: "as a recording, which procwire play and asciinema play" },
  format: { ...CastFlags.flags.format, help: `with --cast: ${CastFlags.flags.format.help}` },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "logs",
  summary: "Show what a process has printed, and follow what it prints",
  usage: "[OPTIONS] NAME",
  flags,
  operands: "process",
  text: `
stdout and stderr of the process go to stdout and stderr; what it printed on a terminal goes to stdout as it is.`,
  examples: [
    "procwire logs web",
    "procwire logs -f -n 100 web",
    "procwire logs --since 10m --timestamps web",
    "procwire logs --grep 'error|warn' -i -f web",
    "procwire logs --cast web >web.cast",
  ],
}

/** Shows it. */
export const logs = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(command, args, flags)
    const ref = yield* Operands.one(command, operands)
    const { tail = "all", grep } = values
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    const lines = tail === "all" ? undefined : yield* Flags.wholeNumber(command, "--tail", tail, 0)
    const since = values.since === undefined ? undefined : yield* readTime(values.since)
    if (lines !== undefined && since !== undefined)
      return yield* wrong("--tail and --since exclude each other")
    if (grep !== undefined && lines !== undefined) return yield* wrong("--grep and --tail exclude each other")
    if (grep !== undefined && values.timestamps === true)
      return yield* wrong("--grep and --timestamps exclude each other")
    if (grep === undefined && values["ignore-case"] === true)
      return yield* wrong("--ignore-case needs --grep")
    if (values.cast !== true && values.format !== undefined) return yield* wrong("--format needs --cast")
    const version = yield* CastFlags.readFormat(command, values.format)
    const shaped = (["tail", "since", "grep", "timestamps"] as const).find(
      (flag) => values[flag] !== undefined,
    )
    if (values.cast === true && shaped !== undefined)
      return yield* wrong(`--cast and --${shaped} exclude each other`)
    const control = yield* Control.open(command, values)
    const row = yield* Control.find(control, ref)
    if (control.client === undefined) return 1
    const process = yield* Join.look(control.client, row)
    if (values.cast === true) {
      const until = values.follow === true ? Effect.never : undefined
      yield* Stream.runForEach(CastFlags.linesOf(process, row, { version, until }), print)
      return 0
    }
    const asked = { row, follow: values.follow === true, since }
    if (grep !== undefined)
      yield* Search.show(process, { ...asked, pattern: grep, ignoresCase: values["ignore-case"] === true })
    else yield* Past.show(process, { ...asked, lines, timestamps: values.timestamps === true })
    return 0
  }).pipe(Effect.scoped)

const print = (text: string) => LocalTerminal.write("stdout", new TextEncoder().encode(text))

/** Milliseconds since 1970: so long ago, or a time as ISO 8601 has it, here. */
const readTime = (text: string): Effect.Effect<number, Flags.UsageError> => {
  if (/^\d+(?:ms|[smh])?$/.test(text))
    return Effect.map(Flags.duration(command, "--since", text), (millis) => Date.now() - millis)
  const time = Date.parse(text)
  const message = `invalid value '${text}' for '--since': expected a duration such as 10m, or 2026-11-22T16:00:00`
  return Number.isNaN(time) ? new Flags.UsageError({ command, message }) : Effect.succeed(time)
}
