/** The output of several processes, line by line, with the process in front of each; or with the host of several hosts. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as ExecClient from "../../../../core/client/ExecClient.ts"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import type { RemoteProcess } from "../../../../core/client/RemoteProcess.ts"
import type { Several } from "../HostFlags.ts"
import * as LocalTerminal from "../LocalTerminal.ts"
import * as Access from "../server/Access.ts"
import * as HostFlags from "../HostFlags.ts"
import { Unable } from "../server/Unable.ts"
import * as Rows from "../show/Rows.ts"
import * as Failure from "../words/Failure.ts"
import * as Message from "../words/Message.ts"
import * as Control from "./Control.ts"
import { concat, utf8 } from "../../../../core/protocol/Bytes.ts"

/** Shows the output of one, by `print`. */
type Show<E, R> = (
  process: RemoteProcess,
  row: ListedProcess,
  print: LocalTerminal.Print,
) => Effect.Effect<void, E | LocalTerminal.OutputFailed, R>

/** How they are shown. */
export interface How<E, R> {
  /** True if a host without such a process is none to speak of, as long as one has it. */
  readonly isEvery: boolean
  readonly show: Show<E, R>
}

interface Found {
  readonly row: ListedProcess
  readonly process: RemoteProcess
}

/** What is shown of one, and what stands in front of its lines. */
interface Labelled extends Found {
  readonly label: string
}

/** Shows several processes of one server: at once if they are followed, else one after the other. */
export const ofNames = <E, R>(
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
    return Math.max(failed, yield* each(found, show, isFollowed ? "unbounded" : 1))
  })

/** Shows them at once; succeeds with the exit code. */
export const show = <E, R>(several: Several, ref: string, { isEvery, show }: How<E, R>) =>
  Effect.gen(function* () {
    const answers = yield* HostFlags.ask(several, "procwire-logs", (client) => find(client, ref))
    const found = answers.flatMap(({ answer, host }) =>
      Either.isRight(answer) && "row" in answer.right ? [{ label: host, ...answer.right }] : [],
    )
    const isNone = ({ answer }: HostFlags.Answer<Found | Unable>) =>
      Either.isRight(answer) && answer.right instanceof Unable
    const isQuiet = isEvery && found.length > 0
    const failed = answers.filter((each) => !(isQuiet && isNone(each))).map(toError)
    return Math.max(HostFlags.told(failed), yield* each(found, show, "unbounded"))
  })

/** Succeeds with the exit code: 1 if one could not be shown, which is a line on stderr. */
const each = <E, R>(found: ReadonlyArray<Labelled>, show: Show<E, R>, concurrency: 1 | "unbounded") =>
  Effect.gen(function* () {
    let code = 0
    const width = Math.max(0, ...found.map(({ label }) => label.length))
    yield* Effect.forEach(
      found,
      ({ label, process: child, row }) =>
        Effect.catchAll(
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
  answer: Either.flatMap(answer, (found) =>
    found instanceof Unable ? Either.left(found.message) : Either.right(found),
  ),
})

/** The process, or why there is none. */
const find = (client: ExecClient.ExecClient | undefined, ref: string) =>
  Effect.gen(function* () {
    if (client === undefined) return new Unable({ message: `no process is called ${ref}` })
    yield* Access.need(client, "processList", Access.listsNothing)
    const found = yield* Effect.catchTag(Control.find({ client }, ref), "Unable", Effect.succeed)
    if (found instanceof Unable) return found
    return { row: found.row, process: yield* Control.look(client, found.row) }
  })

/** Whole lines with the host in front; what has no end of line comes at the end. */
const prefixed = <E, R>(
  host: string,
  show: (print: LocalTerminal.Print) => Effect.Effect<void, E | LocalTerminal.OutputFailed, R>,
) =>
  Effect.suspend(() => {
    const lines = prefixing(`${host} | `)
    const print: LocalTerminal.Print = (to, bytes) => LocalTerminal.write(to, lines.add(to, bytes))
    const rest = (to: "stdout" | "stderr") => Effect.suspend(() => LocalTerminal.write(to, lines.rest(to)))
    return Effect.zipRight(show(print), Effect.zipRight(rest("stdout"), rest("stderr")))
  })

/** Lines of one source. */
interface Prefixed {
  /** The next piece of a stream: all lines that are whole now. */
  readonly add: (stream: string, bytes: Uint8Array) => Uint8Array
  /** What has no end, with one. */
  readonly rest: (stream: string) => Uint8Array
}

const newline = Uint8Array.of(0x0a)

/** The most bytes that wait for the end of their line, which has one then. */
const longest = 64 * 1024

/** No line has begun. */
const prefixing = (prefix: string): Prefixed => {
  const begin = utf8.encode(prefix)
  const waiting = new Map<string, Uint8Array>()
  const add: Prefixed["add"] = (stream, bytes) => {
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
  const rest: Prefixed["rest"] = (stream) =>
    (waiting.get(stream)?.length ?? 0) === 0 ? new Uint8Array() : add(stream, newline)
  return { add, rest }
}
