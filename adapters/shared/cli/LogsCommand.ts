/** `procwire logs`: what a process has printed, and what it prints from now on. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import type { Platform } from "../Platform.ts"
import * as CastFlags from "./CastFlags.ts"
import * as Control from "./control/Control.ts"
import * as Join from "./control/Join.ts"
import * as Operands from "./control/Operands.ts"
import * as Past from "./control/Past.ts"
import * as Search from "./control/Search.ts"
import * as SeveralLogs from "./control/SeveralLogs.ts"
import * as Flags from "./Flags.ts"
import * as HostFlags from "./HostFlags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as LostProcesses from "./server/LostProcesses.ts"
import { Unable } from "./server/Unable.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as Failure from "./words/Failure.ts"
import * as Message from "./words/Message.ts"

const command = "procwire logs"

const flags = {
  follow: { type: "boolean", short: "f", help: "go on with what is printed, until it has ended" },
  tail: { type: "string", short: "n", shows: "N", help: "the last lines only, or all [default: all]" },
  since: {
    type: "string",
    shows: "TIME",
    help: "what was printed since: a duration, as in 10m or 30 (seconds), or a time, as in 2026-11-22T16:00",
  },
  until: { type: "string", shows: "TIME", help: "what was printed until then, as with --since" },
  grep: {
    type: "string",
    shows: "RE",
    help: "lines with a match only, searched on the server; the syntax of RE2",
  },
  "ignore-case": { type: "boolean", short: "i", help: "with --grep: of either case" },
  timestamps: { type: "boolean", short: "t", help: "the time at the begin of each line" },
  cast: { type: "boolean", help: "as a recording, which procwire play and asciinema play" },
  format: { ...CastFlags.flags.format, help: `with --cast: ${CastFlags.flags.format.help}` },
  ...HostFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "logs",
  summary: "Show what processes have printed, and follow what they print",
  usage: "[OPTIONS] NAME…",
  flags,
  operands: "process",
  text: `
stdout and stderr of the process go to stdout and stderr; what it printed on a terminal goes to stdout as it is. Of
several processes each line has its process in front, with several hosts its host. A host that does not answer, or has
no such process, is a line on stderr, and the exit code is 1; with --all-hosts it is one only if no host has it.

Of a process whose own server has died it shows what is left, and says so on stderr.

A server keeps all output with --history-bytes, as that of procwire up does. Of other processes there is what it still
has, 1 MiB by default, without --since, --until, --grep, --timestamps and --cast.`,
  examples: [
    "procwire logs web",
    "procwire logs -f -n 100 web",
    "procwire logs --since 10m --until 5m --timestamps web",
    "procwire logs -f web worker",
    "procwire logs --grep 'error|warn' -i -f web",
    "procwire logs -f --host build --host ci web",
    "procwire logs --cast web >web.cast",
  ],
}

type Values = Flags.Values<typeof flags>

/** Shows it. */
export const logs = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(command, args, flags)
    const refs = yield* Operands.some(command, operands)
    const [ref = "", ...others] = refs
    const wanted = yield* read(values)
    const hosts = yield* HostFlags.read(command, values)
    if (others.length > 0 && wanted.cast !== undefined) return yield* wrong("--cast is of one process")
    if (others.length > 0 && "several" in hosts)
      return yield* wrong(`unexpected argument '${others[0]}': of several hosts one process is shown`)
    if ("several" in hosts && wanted.cast !== undefined) return yield* wrong("--cast is of one host")
    if ("several" in hosts)
      return yield* SeveralLogs.show(hosts.several, ref, {
        isEvery: values["all-hosts"] === true,
        show: showOf(wanted),
      })
    const control = yield* Control.open(command, hosts.one)
    if (others.length > 0) {
      const how = { isFollowed: wanted.follow, show: showOf(wanted) }
      return yield* SeveralLogs.ofNames(control, refs, how)
    }
    const row = yield* Control.find(control, ref).pipe(
      Effect.catchTag("Unable", (error) =>
        Effect.flatMap(
          control.own ? LostProcesses.find(process.env, ref) : Effect.succeed(undefined),
          (lost) => (lost === undefined ? error : Effect.as(showLost(lost, wanted), undefined)),
        ),
      ),
    )
    if (row === undefined) return 0
    if (control.client === undefined) return 1
    yield* Join.look(control.client, row).pipe(
      Effect.flatMap((child) => {
        if (wanted.cast === undefined) return show(child, row, wanted)
        const until = wanted.follow ? Effect.never : undefined
        return Stream.runForEach(CastFlags.linesOf(child, row, { version: wanted.cast, until }), print)
      }),
      Failure.about(ref, row),
    )
    return 0
  }).pipe(Effect.scoped)

/** Shows the output that is left of a process whose server has died. */
const showLost = (lost: LostProcesses.LostProcess, { cast, pattern, ...wanted }: Wanted) =>
  Effect.gen(function* () {
    if (cast !== undefined || pattern !== undefined)
      return yield* new Unable({
        message: `${lost.name} has lost its server, which alone has --cast and --grep`,
      })
    yield* Past.showPage(yield* LostProcesses.open(lost), wanted)
    const how = lost.exitCode === null ? "when its server died" : `with ${lost.exitCode}, and its server died`
    Message.say(`${lost.name} has ended ${how}; this is what is left of its output`)
  })

const wrong = (message: string) => new Flags.UsageError({ command, message })

/** What the flags ask for. */
const read = (values: Values) =>
  Effect.gen(function* () {
    const { tail = "all", grep } = values
    const lines = tail === "all" ? undefined : yield* Flags.wholeNumber(command, "--tail", tail, 0)
    const time = (flag: "since" | "until") => {
      const text = values[flag]
      return text === undefined ? Effect.succeed(undefined) : readTime(`--${flag}`, text)
    }
    const [since, until] = [yield* time("since"), yield* time("until")]
    const endless = (["follow", "tail"] as const).find((flag) => values[flag] !== undefined)
    if (until !== undefined && endless !== undefined)
      return yield* wrong(`--until and --${endless} exclude each other`)
    if (grep !== undefined && lines !== undefined) return yield* wrong("--grep and --tail exclude each other")
    if (grep !== undefined && values.timestamps === true)
      return yield* wrong("--grep and --timestamps exclude each other")
    if (grep === undefined && values["ignore-case"] === true)
      return yield* wrong("--ignore-case needs --grep")
    if (values.cast !== true && values.format !== undefined) return yield* wrong("--format needs --cast")
    const version = yield* CastFlags.readFormat(command, values.format)
    const shaped = (["tail", "since", "until", "grep", "timestamps"] as const).find(
      (flag) => values[flag] !== undefined,
    )
    if (values.cast === true && shaped !== undefined)
      return yield* wrong(`--cast and --${shaped} exclude each other`)
    return {
      follow: values.follow === true,
      since,
      until,
      lines,
      pattern: grep,
      ignoresCase: values["ignore-case"] === true,
      timestamps: values.timestamps === true,
      cast: values.cast === true ? version : undefined,
    }
  })

type Wanted = Effect.Effect.Success<ReturnType<typeof read>>

const show = (
  process: RemoteProcess,
  row: ListedProcess,
  { pattern, ...wanted }: Wanted,
  print: LocalTerminal.Print = LocalTerminal.write,
) =>
  Effect.suspend(() =>
    pattern === undefined
      ? Past.show(process, { row, print, ...wanted })
      : Search.show(process, { pattern, print, ...wanted }),
  )

const showOf = (wanted: Wanted) => (process: RemoteProcess, row: ListedProcess, print: LocalTerminal.Print) =>
  show(process, row, wanted, print)

const print = (text: string) => LocalTerminal.write("stdout", new TextEncoder().encode(text))

/** Milliseconds since 1970: so long ago, or a time as ISO 8601 has it, here. */
const readTime = (flag: string, text: string): Effect.Effect<number, Flags.UsageError> => {
  if (/^[\d.]+(?:ms|[smh])?$/.test(text))
    return Effect.map(Flags.duration(command, flag, text, Infinity), (millis) => Date.now() - millis)
  const time = Date.parse(text)
  const message = `invalid value '${text}' for '${flag}': expected a duration such as 10m, or 2026-11-22T16:00:00`
  return Number.isNaN(time) ? new Flags.UsageError({ command, message }) : Effect.succeed(time)
}
