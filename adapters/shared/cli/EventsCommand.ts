/** `procwire events`: starts, restarts, exits and removals of processes, as they come. */
import * as Effect from "effect/Effect"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { noServer } from "./server/Unable.ts"
import * as Filters from "./show/Filters.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Message from "./words/Message.ts"
import type { ProcessChange } from "../../../core/protocol/Changes.ts"
import * as CommandLine from "../../../core/protocol/CommandLine.ts"
import * as Rows from "./show/Rows.ts"
import * as Table from "./show/Table.ts"

/** The pause between two questions to a server that tells no changes. */
const intervalMillis = 500

/** The longest wait of a server that tells them for the next one. */
const waitMillis = 30_000

/** `procwire events`: tells them until it is interrupted, or the server has ended. */
export const events = Command.make({
  name: "events",
  summary: "Tell what starts, is started again, exits and is removed, until Ctrl-C",
  usage: "[OPTIONS]",
  flags: {
    present: Flags.toggle("begin with those that are there"),
    filter: Filters.flag("only of processes with all of these, as in procwire ps; may be repeated"),
    json: Flags.toggle(
      "a line of JSON for each: { time, event, ref, session, processId, name, labels, pid, state, exitCode }",
    ),
    ...TargetFlags.flags,
  },
  text: `
A line for each: its time by the clock of the server, started, restarted, exited or removed, the name of the process,
and its command or its exit code. The server tells each, in order, however short a process lives. An older server is
asked for its list every ${intervalMillis} ms: then all but a start has the time when it was seen, and what lives
shorter may be missed. One that was not kept (run -d keeps) is removed 30 s behind its end.`,
  examples: [
    "procwire events",
    "procwire events --json --filter label=team=web",
    `procwire events --json | jq -r 'select(.event == "exited") | .ref'`,
  ],
  run: (given) =>
    Effect.gen(function* () {
      const { json, present } = given.values
      const filter = Filters.of(given.values.filter)
      const control = yield* Control.open(given)
      if (control.client === undefined) return yield* noServer
      const { client } = control
      const listed = Effect.map(Control.list(control), (rows) => rows.filter(filter.matches))
      const tell = (changes: ReadonlyArray<Change>) => {
        const { states } = filter.asked
        const told = changes.filter(({ row }) => states === undefined || states.includes(row.state))
        const toText = json === true ? toJsonLine : toLine
        return LocalTerminal.print(told.map((change) => `${toText(change)}\n`).join(""))
      }
      const begin = (rows: Listed) =>
        present === true
          ? tell(rows.map((row) => ({ kind: "present", at: row.startedAtMs, row })))
          : Effect.void
      const { processChanges = false } = client.environmentInfo.capabilities ?? {}
      return yield* processChanges
        ? follow(client, listed, filter.matches, begin, tell)
        : poll(listed, begin, tell)
    }),
})

type Listed = ReadonlyArray<ListedProcess>
type Tell<A> = (of: ReadonlyArray<A>) => Effect.Effect<void, LocalTerminal.OutputFailed>

/** Looks for what has changed since the last look. */
const poll = <E, R>(listed: Effect.Effect<Listed, E, R>, begin: Tell<ListedProcess>, tell: Tell<Change>) =>
  Effect.gen(function* () {
    let before = yield* listed
    yield* begin(before)
    for (;;) {
      yield* Effect.sleep(intervalMillis)
      const after = yield* listed
      yield* tell(between(before, after, Date.now()))
      before = after
    }
  })

/** Takes what the server tells. A change that the list has already has changed nothing. */
const follow = <E, R>(
  client: ExecClient.ExecClient,
  listed: Effect.Effect<Listed, E, R>,
  matches: (row: ListedProcess) => boolean,
  begin: Tell<ListedProcess>,
  tell: Tell<Change>,
) =>
  Effect.gen(function* () {
    const { processListAll = false } = client.environmentInfo.capabilities ?? {}
    const sessions = processListAll ? "all" : "own"
    // The start of one that is starting is told when it has succeeded.
    const started = Effect.map(listed, (rows) => rows.filter(({ state }) => state !== "starting"))
    let { nextSeq } = yield* client.call("process/changes", { sessions })
    let before: Listed = yield* started
    yield* begin(before)
    for (;;) {
      const params = { sessions, afterSeq: nextSeq - 1, waitMs: waitMillis } as const
      const answer = yield* client.call("process/changes", params)
      nextSeq = answer.nextSeq
      for (const change of answer.changes) {
        if (!matches(change.process)) continue
        const after = applied(before, change)
        yield* tell(between(before, after, change.atMs))
        before = after
      }
      if (answer.missed !== true) continue
      yield* LocalTerminal.print(missed, "stderr")
      const after = yield* started
      yield* tell(between(before, after, Date.now()))
      before = after
    }
  })

const missed = Message.line("more has happened than the server keeps; what was short is missed")

/** What may happen to a process; `present` is one that was there at the begin. */
export type Kind = "present" | "started" | "restarted" | "exited" | "removed"

/** One change. */
export interface Change {
  readonly kind: Kind
  /** Milliseconds since 1970: by the clock of the server, or when it was seen. */
  readonly at: number
  /** The process then; one that is removed as it was last. */
  readonly row: ListedProcess
}

/** A process by what no other one has: one that was started again in its place has another start. */
const keyOf = ({ session, processId, startedAtMs }: ListedProcess): string =>
  `${session}/${startedAtMs}/${processId}`

/** The changes that lead from one list to the next, which was seen at `now`: first of those that are gone. */
export const between = (
  before: ReadonlyArray<ListedProcess>,
  after: ReadonlyArray<ListedProcess>,
  now: number,
): ReadonlyArray<Change> => {
  const known = new Map(before.map((row) => [keyOf(row), row]))
  const kept = new Set(after.map(keyOf))
  const gone = before.filter((row) => !kept.has(keyOf(row)))
  return [
    // One that was forgotten before it was seen to have ended has exited as well, nobody knows how.
    ...gone.flatMap((row): ReadonlyArray<Change> => [
      ...(Rows.isLive(row) ? [{ kind: "exited", at: now, row: { ...row, state: "closed" } } as const] : []),
      { kind: "removed", at: now, row },
    ]),
    ...after.flatMap((row) => changesOf(known.get(keyOf(row)), row, now)),
  ]
}

const changesOf = (
  before: ListedProcess | undefined,
  row: ListedProcess,
  now: number,
): ReadonlyArray<Change> => {
  const has = (kind: Kind, at: number, is: boolean): ReadonlyArray<Change> => (is ? [{ kind, at, row }] : [])
  return [
    ...has("started", row.startedAtMs, before === undefined),
    ...has("restarted", now, (row.restarts ?? 0) > (before?.restarts ?? 0)),
    ...has("exited", now, (before === undefined || Rows.isLive(before)) && !Rows.isLive(row)),
  ]
}

/** The list as it is behind a change that the server has told. */
export const applied = (
  before: ReadonlyArray<ListedProcess>,
  { kind, process }: Pick<ProcessChange, "kind" | "process">,
): ReadonlyArray<ListedProcess> => {
  const key = keyOf(process)
  if (kind === "removed") return before.filter((row) => keyOf(row) !== key)
  return before.some((row) => keyOf(row) === key)
    ? before.map((row) => (keyOf(row) === key ? process : row))
    : [...before, process]
}

/** A change as a line for people. */
export const toLine = ({ kind, at, row }: Change): string => {
  const facts = {
    present: `${Rows.stateOf(row)}, ${CommandLine.of(row.argv)}`,
    started: CommandLine.of(row.argv),
    restarted: `#${row.restarts ?? 0}`,
    exited: String(row.exitCode ?? "?"),
    removed: "",
  }
  const what = Table.plain(`${Rows.refOf(row)}  ${facts[kind]}`.trimEnd())
  return `${new Date(at).toISOString()}  ${kind.padEnd(9)}  ${what}`
}

/** The same for programs. */
export const toJsonLine = ({ kind, at, row }: Change): string => {
  const { session, processId, name, labels, pid, state, exitCode, restarts } = row
  const about = { session, processId, name, labels, pid, state, exitCode, restarts }
  return JSON.stringify({ time: new Date(at).toISOString(), event: kind, ref: Rows.refOf(row), ...about })
}
