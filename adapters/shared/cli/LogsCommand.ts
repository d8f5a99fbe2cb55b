/** `procwire logs`: what a process has printed, and what it prints from now on. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import * as Past from "./control/Past.ts"
import * as SeveralLogs from "./control/SeveralLogs.ts"
import * as Flags from "./Flags.ts"
import * as HostFlags from "./HostFlags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Recording from "./Recording.ts"
import * as LostProcesses from "./server/LostProcesses.ts"
import { Unable } from "./server/Unable.ts"
import * as Failure from "./words/Failure.ts"
import * as Message from "./words/Message.ts"

/** A flag with milliseconds since 1970: so long ago, or a time as ISO 8601 has it, here. */
const timeFlag = (help: string) =>
  ({
    ...Flags.text("TIME", help),
    read: (text: string, flag: string): Effect.Effect<number, Flags.UsageError> => {
      if (/^[\d.]+(?:ms|[smh])?$/.test(text))
        return Effect.map(Flags.readDuration(text, flag, Infinity), (millis) => Date.now() - millis)
      const time = Date.parse(text)
      return Number.isNaN(time)
        ? Flags.wrong(
            `invalid value '${text}' for '${flag}': expected a duration such as 10m, or 2026-11-22T16:00:00`,
          )
        : Effect.succeed(time)
    },
  }) as const

/** `procwire logs`: shows it. */
export const logs = Command.make({
  name: "logs",
  summary: "Show what processes have printed, and follow what they print",
  usage: "[OPTIONS] NAME…",
  flags: {
    follow: Flags.toggle("go on with what is printed, until it has ended", "f"),
    tail: Flags.text("N", "the last lines only, or all [default: all]", { short: "n" }),
    since: timeFlag(
      "what was printed since: a duration, as in 10m or 30 (seconds), or a time, as in 2026-11-22T16:00",
    ),
    until: timeFlag("what was printed until then, as with --since"),
    grep: Flags.text("RE", "lines with a match only, searched on the server; the syntax of RE2"),
    "ignore-case": Flags.toggle("with --grep: of either case", "i"),
    timestamps: Flags.toggle("the time at the begin of each line", "t"),
    cast: Flags.toggle("as a recording, which procwire play and asciinema play"),
    format: Recording.format(`with --cast: ${Recording.formatHelp}`),
    ...HostFlags.flags,
  },
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
  run: ({ name, values, operands }) =>
    Effect.gen(function* () {
      const refs = yield* Control.names(operands)
      const [ref = "", ...others] = refs
      const wanted = yield* read(values)
      const hosts = yield* HostFlags.read(values)
      if (others.length > 0 && wanted.cast !== undefined)
        return yield* Flags.wrong("--cast is of one process")
      if (others.length > 0 && "several" in hosts)
        return yield* Flags.wrong(`unexpected argument '${others[0]}': of several hosts one process is shown`)
      if ("several" in hosts && wanted.cast !== undefined) return yield* Flags.wrong("--cast is of one host")
      if ("several" in hosts)
        return yield* SeveralLogs.show(hosts.several, ref, {
          isEvery: values["all-hosts"] === true,
          show: showOf(wanted),
        })
      const control = yield* Control.open({ name, values: hosts.one })
      if (others.length > 0) {
        const how = { isFollowed: wanted.follow, show: showOf(wanted) }
        return yield* SeveralLogs.ofNames(control, refs, how)
      }
      const found = yield* Control.find(control, ref).pipe(
        Effect.catchTag("Unable", (error) =>
          Effect.flatMap(
            control.own ? LostProcesses.find(process.env, ref) : Effect.succeed(undefined),
            (lost) => (lost === undefined ? error : Effect.as(showLost(lost, wanted), undefined)),
          ),
        ),
      )
      if (found === undefined) return 0
      const { client, row } = found
      return yield* Control.look(client, row).pipe(
        Effect.flatMap((child) => {
          if (wanted.cast === undefined) return showOf(wanted)(child, row)
          const until = wanted.follow ? Effect.never : undefined
          const lines = Recording.linesOf(child, row, { version: wanted.cast, until })
          return Stream.runForEach(lines, (text) => LocalTerminal.print(text))
        }),
        Failure.about(ref, row),
      )
    }),
})

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

/** The flags that shape the output. */
interface Values {
  readonly follow?: boolean
  readonly tail?: string
  readonly since?: number
  readonly until?: number
  readonly grep?: string
  readonly "ignore-case"?: boolean
  readonly timestamps?: boolean
  readonly cast?: boolean
  readonly format?: Recording.Version
}

/** What the flags ask for. */
const read = (values: Values) =>
  Effect.gen(function* () {
    const { tail = "all", grep, since, until, format: version = 2 } = values
    const lines = tail === "all" ? undefined : yield* Flags.readWhole(tail, "--tail", 0)
    const endless = (["follow", "tail"] as const).find((flag) => values[flag] !== undefined)
    const shaped = (["tail", "since", "until", "grep", "timestamps"] as const).find(
      (flag) => values[flag] !== undefined,
    )
    const ignoresCase = values["ignore-case"] === true
    const timestamps = values.timestamps === true
    if (until !== undefined && endless !== undefined)
      return yield* Flags.wrong(`--until and --${endless} exclude each other`)
    if (grep !== undefined && lines !== undefined)
      return yield* Flags.wrong("--grep and --tail exclude each other")
    if (grep !== undefined && timestamps)
      return yield* Flags.wrong("--grep and --timestamps exclude each other")
    if (grep === undefined && ignoresCase) return yield* Flags.wrong("--ignore-case needs --grep")
    if (values.cast !== true && values.format !== undefined)
      return yield* Flags.wrong("--format needs --cast")
    if (values.cast === true && shaped !== undefined)
      return yield* Flags.wrong(`--cast and --${shaped} exclude each other`)
    const cast = values.cast === true ? version : undefined
    return {
      follow: values.follow === true,
      since,
      until,
      lines,
      pattern: grep,
      ignoresCase,
      timestamps,
      cast,
    }
  })

type Wanted = Effect.Effect.Success<ReturnType<typeof read>>

const showOf =
  ({ pattern, ...wanted }: Wanted) =>
  (process: RemoteProcess, row: ListedProcess, print: LocalTerminal.Print = LocalTerminal.write) =>
    Effect.suspend(() =>
      pattern === undefined
        ? Past.show(process, { row, print, ...wanted })
        : Past.search(process, { pattern, print, ...wanted }),
    )
