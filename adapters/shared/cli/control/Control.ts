/** The processes of a server, for commands that take their names: finds them, and attaches to them. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as ExecClient from "../../../../core/client/ExecClient.ts"
import type { ListedProcess, ListOptions } from "../../../../core/client/Lists.ts"
import type { RemoteProcess } from "../../../../core/client/RemoteProcess.ts"
import * as Suggestion from "../../../../core/protocol/Suggestion.ts"
import type { Policy } from "../../../../core/features/attach/wire.ts"
import type { Given } from "../Command.ts"
import * as Flags from "../Flags.ts"
import * as Access from "../server/Access.ts"
import { unable } from "../server/Unable.ts"
import * as Rows from "../show/Rows.ts"
import * as Usage from "./Usage.ts"
import * as TargetFlags from "../TargetFlags.ts"
import * as Failure from "../words/Failure.ts"
import * as Message from "../words/Message.ts"

export interface Control {
  /** Undefined where the server of one's own does not run, and so has no processes. */
  readonly client: ExecClient.ExecClient | undefined
  /** True if it is the server of one's own. */
  readonly own: boolean
}

type Values = Flags.Values<typeof TargetFlags.flags>

/** A command with the flags of a server. */
export interface Asked extends Pick<Given, "name" | "operands" | "platform"> {
  readonly values: Values
}

/** Connects to the server that the flags name; that of one's own is started only if a dead one has left processes. */
export const open = (
  { name, platform, values }: Pick<Asked, "name" | "platform" | "values">,
  options: ExecClient.Options = {},
) =>
  Effect.gen(function* () {
    const target = yield* TargetFlags.read(values, { own: true })
    const reached = yield* Access.existing(target, platform)
    const own = "own" in target
    if (reached === undefined) return { client: undefined, own }
    const client = yield* Access.connect(reached, { clientName: `procwire-${name}`, ...options })
    yield* Access.need(client, "processList", Access.listsNothing)
    return { client, own }
  })

export const list = ({ client }: Pick<Control, "client">, options: Omit<ListOptions, "sessions"> = {}) =>
  Effect.gen(function* () {
    if (client === undefined) return []
    const sessions = Access.sessionsOf(client)
    return yield* Stream.runCollect(client.list({ sessions, ...options }))
  })

/** The same with what the host of the server tells of those that run, if it has /proc, and shows it. */
export const seen = (client: ExecClient.ExecClient, rows: ReadonlyArray<ListedProcess>) =>
  Effect.gen(function* () {
    if (client.environmentInfo.platformOs !== "linux") return rows
    const pids = rows.map((row) => (Rows.isLive(row) ? (row.pid ?? undefined) : undefined))
    const found = yield* Usage.conditions(client.fs, pids)
    return rows.map((row, index): Rows.Seen => ({ ...row, condition: found[index] }))
  })

const none = "no process is named; procwire ps lists them"

export const names = (
  operands: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<string>, Flags.UsageError> =>
  operands.length > 0 ? Effect.succeed(operands) : Flags.wrong(none)

export const name = ([name, more]: ReadonlyArray<string>): Effect.Effect<string, Flags.UsageError> => {
  if (name === undefined) return Flags.wrong(none)
  return more === undefined
    ? Effect.succeed(name)
    : Flags.wrong(`unexpected argument '${more}': one process at a time`)
}

/** The process that a word of the command line means: of several of one name the one that runs. */
export const find = ({ client }: Pick<Control, "client">, ref: string) =>
  Effect.gen(function* () {
    const [, session, processId] = /^(\d+)\/(.*)$/s.exec(ref) ?? []
    const isPlace = (row: ListedProcess) => row.processId === processId && row.session === Number(session)
    const rows =
      session === undefined
        ? yield* list({ client }, { name: ref })
        : (yield* list({ client })).filter(isPlace)
    const live = rows.filter(Rows.isLive)
    const [row, ...others] = live.length > 0 ? live : rows
    if (client === undefined || row === undefined) return yield* unknown(ref, yield* list({ client }))
    if (others.length === 0) return { client, row }
    const places = [row, ...others].map((each) => `${each.session}/${each.processId}`)
    return yield* unable(
      `${places.length} processes are called ${ref}: say which one, ${places.join(" or ")}`,
    )
  })

/** The only process that the command line names, and its client; `about` makes errors errors of its name. */
export const findOnly = (asked: Asked, options?: ExecClient.Options) =>
  Effect.gen(function* () {
    const ref = yield* name(asked.operands)
    const { client, row } = yield* find(yield* open(asked, options), ref)
    return { ref, client, row, about: Failure.about(ref, row) }
  })

const unknown = (ref: string, rows: ReadonlyArray<ListedProcess>) => {
  const near = Suggestion.ofWord(ref, rows.map(Rows.refOf))
  const rest = near === "" ? "; procwire ps -a lists them" : `${near} (procwire ps -a lists them all)`
  return unable(`no process is called ${ref}${rest}`)
}

/** Does something with each process that the words mean. All are tried; the exit code is 1 if one has failed. */
export const each = <E, R>(
  control: Control,
  refs: ReadonlyArray<string>,
  use: (row: ListedProcess, client: ExecClient.ExecClient) => Effect.Effect<void, E, R>,
) =>
  Effect.gen(function* () {
    let code = 0
    for (const ref of refs)
      yield* find(control, ref).pipe(
        Effect.flatMap(({ client, row }) => Failure.about(ref, row)(use(row, client))),
        Effect.catch((error) =>
          Effect.sync(() => {
            code = 1
            Message.say(Message.textOf(error))
          }),
        ),
      )
    return code
  })

export const eachNamed = <E, R>(asked: Asked, use: Parameters<typeof each<E, R>>[2]) =>
  Effect.gen(function* () {
    const refs = yield* names(asked.operands)
    return yield* each(yield* open(asked), refs, use)
  })

const remedy = (scope: string) => `use its unix socket, or have it started with --scope ${scope}`
const looking = `this server shows its clients nothing of each other: ${remedy("observe")}`
const writing = `this server lets its clients control nothing of each other: ${remedy("control")}`

/** Attaches to a process that a list has shown, and looks on, from behind the event `after`. */
export const look = (
  client: ExecClient.ExecClient,
  { processId, session, nextSeq }: ListedProcess,
  after = nextSeq - 1,
  policy: Policy = "skip",
) =>
  Effect.andThen(
    Access.need(client, "processAttachAll", looking),
    client.attach({ processId, session }, after, { role: "viewer", policy }),
  )

/** May write, signal and end, from behind the event `after`; `take` takes that from another writer. */
export const write = (
  client: ExecClient.ExecClient,
  { processId, session }: ListedProcess,
  after: number,
  take: boolean,
  policy: Policy = "skip",
) =>
  Effect.andThen(
    Access.need(client, "processControlAll", writing),
    client.attach({ processId, session }, after, { role: "writer", take, policy }),
  )

/** The same for a moment: the writer loses it, and has it again when this client leaves. */
export const act = (client: ExecClient.ExecClient, row: ListedProcess) =>
  write(client, row, row.nextSeq - 1, true)

/** Does something as the writer, and leaves the process. */
export const acting = <A, E, R>(
  client: ExecClient.ExecClient,
  row: ListedProcess,
  use: (child: RemoteProcess) => Effect.Effect<A, E, R>,
) => Effect.flatMap(act(client, row), (child) => Effect.ensuring(use(child), Effect.ignore(child.detach)))
