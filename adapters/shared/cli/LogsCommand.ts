/** `procwire logs`: the output of processes until now, and from now on. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import * as Past from "./control/Past.ts"
import * as Flags from "./Flags.ts"
import * as HostFlags from "./HostFlags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Recording from "./Recording.ts"
import * as LostOutput from "./server/LostOutput.ts"
import * as LostProcesses from "./server/LostProcesses.ts"
import { Unable, unable } from "./server/Unable.ts"
import * as Failure from "./words/Failure.ts"
import * as Message from "./words/Message.ts"
import * as Result from "effect/Result"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { Several } from "./HostFlags.ts"
import * as Access from "./server/Access.ts"
import * as Rows from "./show/Rows.ts"
import { concat, utf8 } from "../../../core/protocol/Bytes.ts"

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

const flags = {
  follow: Flags.toggle("go on with what is printed, until it has ended", "f"),
  tail: {
    ...Flags.text("N", "the last lines only, or all [default: all]", { short: "n" }),
    read: (text: string, flag: string) =>
      text === "all" ? Effect.succeed(undefined) : Flags.readWhole(text, flag, 0),
  },
  since: timeFlag(
    "what was printed since: a duration, as in 10m or 30 (seconds), or a time, as in 2026-11-22T16:00",
  ),
  until: {
    ...timeFlag("what was printed until then, as with --since"),
    excludes: ["follow", "tail"],
  },
  grep: {
    ...Flags.text("RE", "lines with a match only, searched on the server; the syntax of RE2"),
    excludes: ["tail", "timestamps"],
  },
  "ignore-case": { ...Flags.toggle("with --grep: of either case", "i"), needs: "grep" },
  timestamps: Flags.toggle("the time at the begin of each line", "t"),
  cast: {
    ...Flags.toggle("as a recording, which procwire play and asciinema play"),
    excludes: ["tail", "since", "until", "grep", "timestamps"],
  },
  format: { ...Recording.format(`with --cast: ${Recording.formatHelp}`), needs: "cast" },
  ...HostFlags.flags,
} as const satisfies Flags.FlagTable

export const logs = Command.make({
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
  run: ({ name, platform, values, operands }) =>
    Effect.gen(function* () {
      const refs = yield* Control.names(operands)
      const [ref = "", ...others] = refs
      const wanted = read(values)
      const hosts = yield* HostFlags.read(values)
      if (others.length > 0 && wanted.cast !== undefined)
        return yield* Flags.wrong("--cast is of one process")
      if (others.length > 0 && "several" in hosts)
        return yield* Flags.wrong(`unexpected argument '${others[0]}': of several hosts one process is shown`)
      if ("several" in hosts && wanted.cast !== undefined) return yield* Flags.wrong("--cast is of one host")
      if ("several" in hosts)
        return yield* showOnHosts(hosts.several, ref, {
          isEvery: values["all-hosts"] === true,
          show: showOf(wanted),
        })
      const control = yield* Control.open({ name, platform, values: hosts.one })
      if (others.length > 0) {
        const how = { isFollowed: wanted.follow, show: showOf(wanted) }
        return yield* showNamed(control, refs, how)
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
      return yield* unable(`${lost.name} has lost its server, which alone has --cast and --grep`)
    yield* Past.showPage(yield* LostOutput.open(lost), wanted)
    const how = lost.exitCode === null ? "when its server died" : `with ${lost.exitCode}, and its server died`
    Message.say(`${lost.name} has ended ${how}; this is what is left of its output`)
  })

const read = (values: Flags.Values<typeof flags>) => ({
  follow: values.follow === true,
  since: values.since,
  until: values.until,
  lines: values.tail,
  pattern: values.grep,
  ignoresCase: values["ignore-case"] === true,
  timestamps: values.timestamps === true,
  cast: values.cast === true ? (values.format ?? 2) : undefined,
})

type Wanted = ReturnType<typeof read>

const showOf =
  ({ pattern, ...wanted }: Wanted) =>
  (process: RemoteProcess, row: ListedProcess, print: LocalTerminal.Print = LocalTerminal.write) =>
    Effect.suspend(() =>
      pattern === undefined
        ? Past.show(process, { row, print, ...wanted })
        : Past.search(process, { pattern, print, ...wanted }),
    )

/** Shows the output of one, by `print`. */
type Show<E, R> = (
  process: RemoteProcess,
  row: ListedProcess,
  print: LocalTerminal.Print,
) => Effect.Effect<void, E | LocalTerminal.OutputFailed, R>

interface How<E, R> {
  /** True if a host without such a process is none to speak of, as long as one has it. */
  readonly isEvery: boolean
  readonly show: Show<E, R>
}

interface Found {
  readonly row: ListedProcess
  readonly process: RemoteProcess
}

interface Labelled extends Found {
  readonly label: string
}

/** Shows several processes of one server: at once if they are followed, else one after the other. */
const showNamed = <E, R>(
  control: Control.Control,
  refs: ReadonlyArray<string>,
  { isFollowed, show }: { readonly isFollowed: boolean; readonly show: Show<E, R> },
) =>
  Effect.gen(function* () {
    const found: Array<Labelled> = []
    const failed = yield* Control.each(control, refs, (row, client) =>
      Effect.map(
        Control.look(client, row),
        (process) => void found.push({ label: Rows.refOf(row), process, row }),
      ),
    )
    return Math.max(failed, yield* showEach(found, show, isFollowed ? "unbounded" : 1))
  })

/** Shows them at once; succeeds with the exit code. */
const showOnHosts = <E, R>(several: Several, ref: string, { isEvery, show }: How<E, R>) =>
  Effect.gen(function* () {
    const answers = yield* HostFlags.ask(several, "procwire-logs", (client) => findOn(client, ref))
    const found = answers.flatMap(({ answer, host }) =>
      Result.isSuccess(answer) && "row" in answer.success ? [{ label: host, ...answer.success }] : [],
    )
    const isNone = ({ answer }: HostFlags.Answer<Found | Unable>) =>
      Result.isSuccess(answer) && answer.success instanceof Unable
    const isQuiet = isEvery && found.length > 0
    const failed = answers.filter((each) => !(isQuiet && isNone(each))).map(toError)
    return Math.max(HostFlags.sayFailures(failed), yield* showEach(found, show, "unbounded"))
  })

/** Succeeds with the exit code: 1 if one could not be shown, which is a line on stderr. */
const showEach = <E, R>(found: ReadonlyArray<Labelled>, show: Show<E, R>, concurrency: 1 | "unbounded") =>
  Effect.gen(function* () {
    let code = 0
    const width = Math.max(0, ...found.map(({ label }) => label.length))
    yield* Effect.forEach(
      found,
      ({ label, process: child, row }) =>
        Effect.catch(
          Failure.about(
            Rows.refOf(row),
            row,
          )(prefixed(label.padEnd(width), (print) => show(child, row, print))),
          (error) => {
            if (error instanceof LocalTerminal.OutputFailed) return Effect.fail(error)
            code = 1
            return Effect.sync(() => Message.say(`${label}: ${Message.textOf(error)}`))
          },
        ),
      { concurrency, discard: true },
    )
    return code
  })

const toError = ({ answer, host }: HostFlags.Answer<Found | Unable>): HostFlags.Answer<unknown> => ({
  host,
  answer: Result.flatMap(answer, (found) =>
    found instanceof Unable ? Result.fail(found.message) : Result.succeed(found),
  ),
})

/** The process, or why there is none. */
const findOn = (client: ExecClient.ExecClient | undefined, ref: string) =>
  Effect.gen(function* () {
    if (client === undefined) return unable(`no process is called ${ref}`)
    yield* Access.need(client, "processList", Access.listsNothing)
    const found = yield* Effect.catchTag(Control.find({ client }, ref), "Unable", Effect.succeed)
    if (found instanceof Unable) return found
    return { row: found.row, process: yield* Control.look(client, found.row) }
  })

/** Whole lines with the host in front; a line without an end comes last. */
const prefixed = <E, R>(
  host: string,
  show: (print: LocalTerminal.Print) => Effect.Effect<void, E | LocalTerminal.OutputFailed, R>,
) =>
  Effect.suspend(() => {
    const lines = prefixing(`${host} | `)
    const print: LocalTerminal.Print = (to, bytes) => LocalTerminal.write(to, lines.add(to, bytes))
    const rest = (to: "stdout" | "stderr") => Effect.suspend(() => LocalTerminal.write(to, lines.rest(to)))
    return Effect.andThen(show(print), Effect.andThen(rest("stdout"), rest("stderr")))
  })

const newline = Uint8Array.of(0x0a)

/** The most bytes that wait for the end of their line, which has one then. */
const longest = 64 * 1024

/** Lines of one source with a prefix; none has begun. */
const prefixing = (prefix: string) => {
  const begin = utf8.encode(prefix)
  const waiting = new Map<string, Uint8Array>()
  /** Takes the next piece of a stream: all lines that are whole now. */
  const add = (stream: string, bytes: Uint8Array): Uint8Array => {
    const all = concat([waiting.get(stream) ?? new Uint8Array(), bytes])
    const parts: Array<Uint8Array> = []
    let at = 0
    for (let end = all.indexOf(0x0a); end >= 0; end = all.indexOf(0x0a, at)) {
      parts.push(begin, all.subarray(at, end + 1))
      at = end + 1
    }
    for (; all.length - at >= longest; at += longest)
      parts.push(begin, all.subarray(at, at + longest), newline)
    waiting.set(stream, all.slice(at))
    return concat(parts)
  }
  /** The line without an end, with one. */
  const rest = (stream: string): Uint8Array =>
    (waiting.get(stream)?.length ?? 0) === 0 ? new Uint8Array() : add(stream, newline)
  return { add, rest }
}
