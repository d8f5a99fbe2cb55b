/** `procwire events`: starts, restarts, exits and removals of processes, as they come. */
import * as Effect from "effect/Effect"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import { features } from "./features/Features.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Access from "./server/Access.ts"
import { noServer } from "./server/Unable.ts"
import * as Filters from "./show/Filters.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Message from "./words/Message.ts"
import type { ProcessChange } from "../../../core/protocol/List.ts"
import * as CommandLine from "../../../core/protocol/CommandLine.ts"
import * as Rows from "./show/Rows.ts"
import * as Table from "./show/Table.ts"

/** The longest wait for the next change, in milliseconds. */
const waitMillis = 30_000

/** Runs until it is interrupted, or the server has ended. */
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
and its command or its exit code. The server tells each, in order, however short a process lives. Where more has
happened than the server keeps, a line on stderr says so, and what is there then is present again. One that was not kept
(run -d keeps) is removed 30 s behind its end.`,
  examples: [
    "procwire events",
    "procwire events --json --filter label=team=web",
    `procwire events --json | jq -r 'select(.event == "exited") | .ref'`,
  ],
  run: (given) =>
    Effect.gen(function* () {
      const { json = false, present = false } = given.values
      const { asked, matches } = Filters.of(given.values.filter)
      const control = yield* Control.open(given)
      const { client } = control
      if (client === undefined) return yield* noServer
      yield* Access.need(client, "processChanges", changesNothing)
      const print = (changes: ReadonlyArray<Change>) => {
        const wanted = changes.filter(({ row }) => asked.states?.includes(row.state) ?? true)
        return LocalTerminal.print(
          wanted.map((change) => `${json ? toJsonLine(change) : toLine(change)}\n`).join(""),
        )
      }
      // The start of one that is starting is a change to come.
      const listed = Effect.map(Control.list(control), (rows) =>
        rows.filter((row) => row.state !== "starting" && matches(row)),
      )
      const printPresent = (rows: ReadonlyArray<ListedProcess>) =>
        print(rows.map((row) => ({ kind: "present", at: row.startedAtMs, row })))
      const sessions = Access.sessionsOf(client)
      let { nextSeq } = yield* client.call("process/changes", { sessions })
      let rows = yield* listed
      if (present) yield* printPresent(rows)
      for (;;) {
        const params = { sessions, afterSeq: nextSeq - 1, waitMs: waitMillis } as const
        const answer = yield* client.call("process/changes", params)
        nextSeq = answer.nextSeq
        const changes = answer.changes.filter((change) => matches(change.process) && !isIn(rows, change))
        yield* print(changes.map(({ kind, atMs, process }) => ({ kind, at: atMs, row: process })))
        if (answer.missed !== true) continue
        yield* LocalTerminal.print(missed, "stderr")
        rows = yield* listed
        yield* printPresent(rows)
      }
    }),
})

const changesNothing = "this server tells no changes of processes: it is of another make"
const missed = Message.line("more has happened than the server keeps; what was short is missed")

/** One change of a process; `present` is one that was there at the begin. */
export interface Change {
  readonly kind: "present" | ProcessChange["kind"]
  /** Milliseconds since 1970, by the clock of the server. */
  readonly at: number
  /** The process then; one that is removed as it was last. */
  readonly row: ListedProcess
}

/** True for a change that came between the answer with its seq and the list, which has it. */
export const isIn = (
  rows: ReadonlyArray<ListedProcess>,
  { kind, process }: Pick<ProcessChange, "kind" | "process">,
): boolean => {
  // One that was started again in its place has another start.
  const { session, processId, startedAtMs } = process
  const row = rows.find(
    (each) => each.session === session && each.processId === processId && each.startedAtMs === startedAtMs,
  )
  if (row === undefined) return false
  if (kind === "started" || (kind === "exited" && !Rows.isLive(row))) return true
  return features.some(({ changes = {} }) => changes[kind]?.isIn(row, process))
}

export const toLine = ({ kind, at, row }: Change): string => {
  const facts: Readonly<Record<string, string>> = {
    present: `${Rows.stateOf(row)}, ${CommandLine.of(row.argv)}`,
    started: CommandLine.of(row.argv),
    exited: String(row.exitCode ?? "?"),
    removed: "",
  }
  const [more = ""] = features.flatMap(({ changes = {} }) => changes[kind]?.text(row) ?? [])
  const what = Table.plain(`${Rows.refOf(row)}  ${facts[kind] ?? more}`.trimEnd())
  return `${new Date(at).toISOString()}  ${kind.padEnd(9)}  ${what}`
}

/** The same for programs. */
export const toJsonLine = ({ kind, at, row }: Change): string => {
  const { session, processId, name, labels, pid, state, exitCode } = row
  const about = { session, processId, name, labels, pid, state, exitCode }
  Object.assign(about, ...features.map(({ facts }) => facts?.(row)))
  return JSON.stringify({ time: new Date(at).toISOString(), event: kind, ref: Rows.refOf(row), ...about })
}
